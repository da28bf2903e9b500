/** The worker notifies processes of the API, which listen to it. */
export const RAISED_CHANNEL = 'content_read_raised';

/** The name of a list among those of an organization. */
export const NO_TERM = '';

export function categoryTerm(slugOrId: string): string {
  return `category=${slugOrId}`;
}

export function tagTerm(slugOrId: string): string {
  return `tag=${slugOrId}`;
}

/** An expression for `website` in `list_totals`, over one for the id of a website. */
export function websiteOfList(id: string): string {
  return `'=' || ${id}`;
}
