export const main = () => {};
