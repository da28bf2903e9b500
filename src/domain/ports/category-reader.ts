import type { Category } from '../model/category.js';
import type { Snapshot } from '../model/snapshot.js';

/** Categories of one organization, of one of its websites if that is named; in any order: the query sorts. `snapshot` is as in `BlogReader`. */
export interface CategoryReader {
  list(organizationId: string, websiteId: string | null, snapshot?: Snapshot): Promise<readonly Category[]>;
}
