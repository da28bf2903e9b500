import type { Snapshot } from '../model/snapshot.js';
import type { Category, Tag } from '../model/term.js';
import { byName, bySortOrder } from '../policies/ordering.js';
import type { CategoryReader } from '../ports/reading/category-reader.js';
import type { TagReader } from '../ports/reading/tag-reader.js';

export interface ListTerms {
  readonly organizationId: string;
  /** Null: of all websites. */
  readonly websiteId: string | null;
  readonly snapshot: Snapshot;
}

export class ListCategoriesHandler {
  constructor(private readonly categories: CategoryReader) {}

  async handle({ organizationId, websiteId, snapshot }: ListTerms): Promise<readonly Category[]> {
    return (await this.categories.list(organizationId, websiteId, snapshot)).toSorted(bySortOrder);
  }
}

export class ListTagsHandler {
  constructor(private readonly tags: TagReader) {}

  async handle({ organizationId, websiteId, snapshot }: ListTerms): Promise<readonly Tag[]> {
    return (await this.tags.list(organizationId, websiteId, snapshot)).toSorted(byName);
  }
}
