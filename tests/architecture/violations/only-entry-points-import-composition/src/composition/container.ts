export const container = { blogs: {} };
