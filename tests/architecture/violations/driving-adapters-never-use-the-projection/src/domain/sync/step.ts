export const step = () => {};
