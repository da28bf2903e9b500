import type { Category, Tag } from '../model/term.js';
import { byName, bySortOrder } from '../policies/ordering.js';
import type { CategoryReader } from '../ports/reading/category-reader.js';
import type { TagReader } from '../ports/reading/tag-reader.js';

/** Without a website: of all websites. */
export async function listCategories(
  categories: CategoryReader,
  organizationId: string,
  websiteId: string | null,
): Promise<readonly Category[]> {
  return (await categories.list(organizationId, websiteId)).toSorted(bySortOrder);
}

export async function listTags(
  tags: TagReader,
  organizationId: string,
  websiteId: string | null,
): Promise<readonly Tag[]> {
  return (await tags.list(organizationId, websiteId)).toSorted(byName);
}
