import type { listBlogs } from './list-blogs.js';

export const listTags = (): ReturnType<typeof listBlogs> => [];
