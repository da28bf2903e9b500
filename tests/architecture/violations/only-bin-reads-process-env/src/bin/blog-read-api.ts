export const main = () => process.env;
