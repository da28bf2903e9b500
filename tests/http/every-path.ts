/** One address of each endpoint, for content of the default website. */
export const EVERY_PATH = [
  '/api/v1/blogs',
  '/api/v1/blogs/b1',
  '/api/v1/blogs/slug/slug-of-b1?website_id=web_a1',
  '/api/v1/categories',
  '/api/v1/tags',
];
