import type { WebsiteHolder, WebsiteOwner } from 'blog-content-read-api/ports';
import type { ReplacedRow } from './replace-rows.js';

/**
 * A row that came from another organization tells that its website changed hands, also where that was never told: what its former owner
 * has of it still is to be hidden then, and its terms that other rows show.
 */
export function movedWebsites(replaced: readonly ReplacedRow[]) {
  const owners = new Map<string, WebsiteOwner>();
  const former: WebsiteHolder[] = [];
  for (const { stored, row } of replaced) {
    if (stored === null || row === null || !('websiteId' in row)) continue;
    const { websiteId, organizationId } = row;
    if (stored.organizationId === organizationId) continue;
    owners.set(websiteId, { websiteId, organizationId });
    // Else it went to another website, by itself.
    if (stored.websiteId === websiteId) former.push({ websiteId, organizationId: stored.organizationId });
  }
  return { owners: [...owners.values()], former };
}
