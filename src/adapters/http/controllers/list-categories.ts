import type { ListCategoriesHandler } from '../../../domain/queries/list-categories.js';
import type { Endpoint } from '../endpoint.js';
import { WebsiteQuery } from '../parameters.js';
import { presentCategories } from '../presenters/category-presenter.js';

export function listCategories(handler: ListCategoriesHandler): Endpoint<typeof WebsiteQuery> {
  return {
    path: '/api/v1/categories',
    query: WebsiteQuery,
    kind: 'list',
    answer: async (organizationId, { website_id }) =>
      presentCategories(await handler.handle({ organizationId, websiteId: website_id ?? null })),
  };
}
