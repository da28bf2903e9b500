import { container } from '../../composition/container.js'; // breach

export const controller = container.blogs;
