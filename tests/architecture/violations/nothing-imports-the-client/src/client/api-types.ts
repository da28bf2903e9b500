export type Blogs = string[];
