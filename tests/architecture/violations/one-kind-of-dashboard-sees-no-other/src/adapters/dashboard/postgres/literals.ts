export const text = (value: string) => `'${value}'`;
