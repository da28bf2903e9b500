const MEMBERS = 'status:free,status:-free';
/** A card whose author has said that visitors of the site do not see it. */
export const CARD_FOR_MEMBERS = {
  type: 'html',
  version: 1,
  html: '<p>Members</p>',
  visibility: { web: { nonMember: false, memberSegment: MEMBERS }, email: { memberSegment: MEMBERS } },
};

/** What Ghost's editor sends. */
export function lexicalOf(...children: readonly object[]): string {
  return JSON.stringify({
    root: { type: 'root', version: 1, direction: null, format: '', indent: 0, children },
  });
}
