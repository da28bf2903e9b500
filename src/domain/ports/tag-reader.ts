import type { Tag } from '../model/tag.js';

/** Tags of one organization, of one of its websites if that is named; in any order: the query sorts. */
export interface TagReader {
  list(organizationId: string, websiteId: string | null): Promise<readonly Tag[]>;
}
