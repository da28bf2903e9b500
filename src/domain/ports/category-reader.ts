import type { Category } from '../model/category.js';
import type { Snapshot } from '../model/snapshot.js';

/**
 * Categories of one organization, or of one of its websites if it is given. In any order, because the query sorts. `snapshot` is as in
 * `BlogReader`.
 */
export interface CategoryReader {
  list(organizationId: string, websiteId: string | null, snapshot?: Snapshot): Promise<readonly Category[]>;
}
