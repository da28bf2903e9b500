import { projectBlog } from './project-blog.js';

export const step = () => projectBlog();
