import type { GetBlogByIdHandler } from '../../../domain/queries/get-blog-by-id.js';
import type { Endpoint } from '../endpoint.js';
import { NoQuery } from '../parameters.js';
import { presentBlog } from '../presenters/blog-presenter.js';

export function getBlogById(handler: GetBlogByIdHandler): Endpoint<typeof NoQuery> {
  return {
    path: '/api/v1/blogs/:id',
    query: NoQuery,
    kind: 'detail',
    answer: async (organizationId, _query, id) => presentBlog(await handler.handle({ organizationId, id })),
  };
}
