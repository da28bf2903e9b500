import { container } from '../../composition/container.js';

export const api = { blogs: container.blogs };
