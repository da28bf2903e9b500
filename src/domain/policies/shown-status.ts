/** Only a blog with this status is shown, whatever its date. */
export const SHOWN_STATUS = 'published';
