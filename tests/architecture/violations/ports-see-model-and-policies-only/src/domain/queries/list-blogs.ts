export interface ListBlogs {}
