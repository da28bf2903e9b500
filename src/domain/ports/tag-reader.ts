import type { Snapshot } from '../model/snapshot.js';
import type { Tag } from '../model/tag.js';

/** Tags of one organization, of one of its websites if that is named; in any order: the query sorts. `snapshot` is as in `BlogReader`. */
export interface TagReader {
  list(organizationId: string, websiteId: string | null, snapshot?: Snapshot): Promise<readonly Tag[]>;
}
