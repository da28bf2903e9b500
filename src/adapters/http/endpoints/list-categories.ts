import type { ListCategoriesHandler } from '../../../domain/queries/list-categories.js';
import { presentCategories } from './category-presenter.js';
import { type Endpoint, LIST_CATEGORIES } from './operations.js';

export function listCategories(handler: ListCategoriesHandler): Endpoint<typeof LIST_CATEGORIES> {
  return {
    ...LIST_CATEGORIES,
    answer: async (organizationId, { website_id }, _segment, snapshot) =>
      presentCategories(await handler.handle({ organizationId, websiteId: website_id ?? null, snapshot })),
  };
}
