export const dashboardOf = () => ({});
