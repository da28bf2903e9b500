import type { Category, Tag } from '../model/term.js';
import { byName, bySortOrder } from '../policies/ordering.js';
import type { CategoryReader } from '../ports/reading/category-reader.js';
import type { TagReader } from '../ports/reading/tag-reader.js';

export interface ListTerms {
  readonly organizationId: string;
  /** Null: of all websites. */
  readonly websiteId: string | null;
}

export class ListCategoriesHandler {
  constructor(private readonly categories: CategoryReader) {}

  async handle({ organizationId, websiteId }: ListTerms): Promise<readonly Category[]> {
    return (await this.categories.list(organizationId, websiteId)).toSorted(bySortOrder);
  }
}

export class ListTagsHandler {
  constructor(private readonly tags: TagReader) {}

  async handle({ organizationId, websiteId }: ListTerms): Promise<readonly Tag[]> {
    return (await this.tags.list(organizationId, websiteId)).toSorted(byName);
  }
}
