import { listBlogs } from './list-blogs.js';

export const listTags = () => listBlogs();
