import type { Blogs } from '../client/api-types.js'; // breach
import { warmUp } from '../composition/warm-up.js';

export const blogs: Blogs = Object.keys(warmUp());
