export const listBlogs = () => [];
