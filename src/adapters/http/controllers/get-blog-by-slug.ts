import type { GetBlogBySlugHandler } from '../../../domain/queries/get-blog-by-slug.js';
import type { Endpoint } from '../endpoint.js';
import { BlogBySlugQuery } from '../parameters.js';
import { presentBlog } from '../presenters/blog-presenter.js';

export function getBlogBySlug(handler: GetBlogBySlugHandler): Endpoint<typeof BlogBySlugQuery> {
  return {
    path: '/api/v1/blogs/slug/:slug',
    query: BlogBySlugQuery,
    kind: 'detail',
    answer: async (organizationId, { website_id }, slug) =>
      presentBlog(await handler.handle({ organizationId, websiteId: website_id, slug })),
  };
}
