import type { Snapshot } from '../../model/snapshot.js';
import type { Category } from '../../model/term.js';

/** Of one organization or one of its websites, in any order; `snapshot` as in `BlogReader`. */
export interface CategoryReader {
  list(organizationId: string, websiteId: string | null, snapshot: Snapshot): Promise<readonly Category[]>;
}
