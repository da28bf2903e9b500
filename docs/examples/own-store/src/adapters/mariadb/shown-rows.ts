/** Websites of which this organization still has rows, although they no longer belong to it. */
const HIDDEN = 'select website_id from hidden_websites where organization_id = :organizationId';

/** A condition for the rows of an organization, or of one of its websites. */
export function isShown(websiteId: string | null): string {
  const ofWebsite = websiteId === null ? '' : 'and website_id = :websiteId';
  return `organization_id = :organizationId ${ofWebsite} and website_id not in (${HIDDEN})`;
}

/**
 * A condition for rows of the table `terms` that are not shown as a category or tag of another row. While any website is hidden, these
 * are the terms of hidden websites and of other organizations, since a term may have moved on to another website.
 */
export function isHiddenTerm(terms: string): string {
  return `exists (${HIDDEN}) and (${terms}.organization_id <> :organizationId or ${terms}.website_id in (${HIDDEN}))`;
}
