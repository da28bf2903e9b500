export const open = () => {};
