import type { GetBlogByIdHandler } from '../../../domain/queries/get-blog-by-id.js';
import { type Endpoint, GET_BLOG_BY_ID } from '../operations.js';
import { presentBlog } from '../presenters/blog-presenter.js';

export function getBlogById(handler: GetBlogByIdHandler): Endpoint<typeof GET_BLOG_BY_ID> {
  return {
    ...GET_BLOG_BY_ID,
    answer: async (organizationId, _query, id, snapshot) =>
      presentBlog(await handler.handle({ organizationId, id, snapshot })),
  };
}
