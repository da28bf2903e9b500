import type { Blog } from '../model/blog.js'; // breach
import { paginate } from 'no-such-package'; // breach

export const listBlogs = (): Blog[] => paginate();
