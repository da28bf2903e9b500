import type { Blog } from '../model/blog.js';
import type { Order } from '../policies/order.js';
import type { ListBlogs } from '../queries/list-blogs.js'; // breach

export type Read = (query: ListBlogs, order: Order) => Blog[];
