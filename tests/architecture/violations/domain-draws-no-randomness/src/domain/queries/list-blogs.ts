import type { Blog } from '../model/blog.js';

export const dice = Math.random(); // breach
export const { random } = Math; // breach
export const id = crypto.randomUUID(); // breach

export const latest = (blogs: Blog[]) => Math.max(...blogs.map((blog) => blog.publishedAt.getTime()));
