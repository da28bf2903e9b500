import type { Blog } from '../model/blog.js';

export const limit = Number(process.env.RATE_LIMIT_MAX); // breach
export const world = globalThis; // breach
export const here = import.meta.url; // breach

export const listBlogs = (blogs: Blog[], steps: { process: (blog: Blog) => void }) => blogs.forEach(steps.process);
