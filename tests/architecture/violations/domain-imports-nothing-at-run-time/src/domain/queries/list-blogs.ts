import type { Blog } from '../model/blog.js';

const name = './list-tags.js';
export const load = async (): Promise<Blog> => import(name); // breach
