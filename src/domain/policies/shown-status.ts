/** The one status of a blog in which it is shown, whatever its date. */
export const SHOWN_STATUS = 'published';
