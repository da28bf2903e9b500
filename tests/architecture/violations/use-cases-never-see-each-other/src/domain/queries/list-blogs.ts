import { projectBlog } from '../sync/project-blog.js'; // breach

export const listBlogs = () => [projectBlog()];
