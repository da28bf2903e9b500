export type { Blog } from './blog.js'; // breach
