import type { GetBlogByIdHandler } from '../../../domain/queries/get-blog-by-id.js';
import { presentBlog } from './blog-presenter.js';
import { type Endpoint, GET_BLOG_BY_ID } from './operations.js';

export function getBlogById(handler: GetBlogByIdHandler): Endpoint<typeof GET_BLOG_BY_ID> {
  return {
    ...GET_BLOG_BY_ID,
    answer: async (organizationId, _query, id, snapshot) =>
      presentBlog(await handler.handle({ organizationId, id, snapshot })),
  };
}
