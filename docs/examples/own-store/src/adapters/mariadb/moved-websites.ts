import type { WebsiteHolder, WebsiteOwner } from 'blog-content-read-api/ports';
import type { ReplacedRow } from './replace-rows.js';

/**
 * A row that came from another organization shows that its website has moved there, even if no change of the website was captured. Then
 * the rows that the former owner still has are hidden, and so are its terms in other rows.
 */
export function movedWebsites(replaced: readonly ReplacedRow[]) {
  const owners = new Map<string, WebsiteOwner>();
  const former: WebsiteHolder[] = [];
  for (const { stored, row } of replaced) {
    if (stored === null || row === null || !('websiteId' in row)) continue;
    const { websiteId, organizationId } = row;
    if (stored.organizationId === organizationId) continue;
    owners.set(websiteId, { websiteId, organizationId });
    // Otherwise only the row has moved, to another website.
    if (stored.websiteId === websiteId) former.push({ websiteId, organizationId: stored.organizationId });
  }
  return { owners: [...owners.values()], former };
}
