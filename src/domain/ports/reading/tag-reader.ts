import type { Tag } from '../../model/term.js';

/** Of one organization or one of its websites, in any order. */
export interface TagReader {
  list(organizationId: string, websiteId: string | null): Promise<readonly Tag[]>;
}
