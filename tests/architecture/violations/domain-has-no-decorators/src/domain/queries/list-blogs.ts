import type { Blog } from '../model/blog.js';

const injectable = () => () => {};

@injectable() // breach
export class ListBlogs {
  handle(blogs: Blog[]) {
    return blogs;
  }
}
