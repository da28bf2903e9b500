import type { Blog } from '../model/blog.js';

export const later = (blogs: Blog[]) => setTimeout(() => blogs, 1); // breach
export const often = (blogs: Blog[]) => setInterval(() => blogs, 1); // breach
export const soon = setImmediate; // breach
