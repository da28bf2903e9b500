import { listTags } from '../queries/list-tags.js'; // breach
import { projectBlog } from './project-blog.js';

export const step = () => [listTags(), projectBlog()];
