import type { Snapshot } from '../model/snapshot.js';
import type { Tag } from '../model/tag.js';

/**
 * Tags of one organization, or of one of its websites if it is given. In any order, because the query sorts. `snapshot` is as in
 * `BlogReader`.
 */
export interface TagReader {
  list(organizationId: string, websiteId: string | null, snapshot?: Snapshot): Promise<readonly Tag[]>;
}
