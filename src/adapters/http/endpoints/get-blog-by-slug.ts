import type { GetBlogBySlugHandler } from '../../../domain/queries/get-blog-by-slug.js';
import { presentBlog } from './blog-presenter.js';
import { type Endpoint, GET_BLOG_BY_SLUG } from './operations.js';

export function getBlogBySlug(handler: GetBlogBySlugHandler): Endpoint<typeof GET_BLOG_BY_SLUG> {
  return {
    ...GET_BLOG_BY_SLUG,
    answer: async (organizationId, { website_id }, slug, snapshot) =>
      presentBlog(await handler.handle({ organizationId, websiteId: website_id, slug, snapshot })),
  };
}
