export const projectBlog = () => ({});
