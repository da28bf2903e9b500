export type * from './api-types.js';

export const client = { blogs: {} };
