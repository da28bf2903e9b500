import type { Blog } from '../model/index.js';

export const listBlogs = (): Blog[] => [];
