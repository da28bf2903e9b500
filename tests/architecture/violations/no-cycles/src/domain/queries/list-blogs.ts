import { listTags } from './list-tags.js'; // breach

export const listBlogs = () => listTags();
