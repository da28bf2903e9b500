import type { Category } from '../../model/term.js';

/** Of one organization or one of its websites, in any order. */
export interface CategoryReader {
  list(organizationId: string, websiteId: string | null): Promise<readonly Category[]>;
}
