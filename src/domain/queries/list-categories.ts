import type { Snapshot } from '../model/snapshot.js';
import type { Category } from '../model/term.js';
import { bySortOrder } from '../policies/ordering.js';
import type { CategoryReader } from '../ports/reading/category-reader.js';

export interface ListCategories {
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly snapshot: Snapshot;
}

export class ListCategoriesHandler {
  constructor(private readonly categories: CategoryReader) {}

  async handle(query: ListCategories): Promise<readonly Category[]> {
    const categories = await this.categories.list(query.organizationId, query.websiteId, query.snapshot);
    return categories.toSorted(bySortOrder);
  }
}
