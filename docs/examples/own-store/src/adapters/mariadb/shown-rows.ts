/** Websites of which this organization has rows still, but that are not its own any more. */
const HIDDEN = 'select website_id from hidden_websites where organization_id = :organizationId';

/** As a condition on rows: those of an organization, of one of its websites if that is named. */
export function isShown(websiteId: string | null): string {
  const ofWebsite = websiteId === null ? '' : 'and website_id = :websiteId';
  return `organization_id = :organizationId ${ofWebsite} and website_id not in (${HIDDEN})`;
}

/**
 * Whether a row of the table `terms` is shown as a category or tag of another row: while any website is hidden, one that is of
 * such a website, or of another organization, is not; it may have gone on to another website since.
 */
export function isHiddenTerm(terms: string): string {
  return `exists (${HIDDEN}) and (${terms}.organization_id <> :organizationId or ${terms}.website_id in (${HIDDEN}))`;
}
