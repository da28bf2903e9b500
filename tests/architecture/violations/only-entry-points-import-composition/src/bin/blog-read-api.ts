import { container } from '../composition/container.js';

container.blogs;
