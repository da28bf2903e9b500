import type { Blog } from '../model/blog.js';

export const show = (blog: Blog) => console.log(blog); // breach
export const ask = (blog: Blog) => fetch(`http://localhost/${blog.publishedAt}`); // breach
