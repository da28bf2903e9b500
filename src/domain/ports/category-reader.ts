import type { Category } from '../model/category.js';

/** Categories of one organization, of one of its websites if that is named; in any order: the query sorts. */
export interface CategoryReader {
  list(organizationId: string, websiteId: string | null): Promise<readonly Category[]>;
}
