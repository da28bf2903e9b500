import type { Snapshot } from '../../model/snapshot.js';
import type { Tag } from '../../model/term.js';

/** Of one organization or one of its websites, in any order; `snapshot` as in `BlogReader`. */
export interface TagReader {
  list(organizationId: string, websiteId: string | null, snapshot: Snapshot): Promise<readonly Tag[]>;
}
