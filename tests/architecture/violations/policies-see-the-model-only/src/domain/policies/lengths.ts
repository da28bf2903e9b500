export const longest = 256;
