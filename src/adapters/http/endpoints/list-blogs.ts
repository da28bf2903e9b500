import type { ListPublishedBlogsHandler } from '../../../domain/queries/list-published-blogs.js';
import { presentBlogs } from './blog-presenter.js';
import { type Endpoint, LIST_BLOGS } from './operations.js';

export function listBlogs(handler: ListPublishedBlogsHandler): Endpoint<typeof LIST_BLOGS> {
  return {
    ...LIST_BLOGS,
    answer: async (organizationId, { page, limit, category, tag, search, website_id }, _segment, snapshot) =>
      presentBlogs(
        await handler.handle({
          organizationId,
          page,
          limit,
          categorySlug: category ?? null,
          tagSlug: tag ?? null,
          search: search || null,
          websiteId: website_id ?? null,
          snapshot,
        }),
      ),
  };
}
