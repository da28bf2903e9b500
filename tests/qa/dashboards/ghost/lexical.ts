const MEMBERS = 'status:free,status:-free';
/** A card that its author has hidden from visitors of the site. */
export const CARD_FOR_MEMBERS = {
  type: 'html',
  version: 1,
  html: '<p>Members</p>',
  visibility: { web: { nonMember: false, memberSegment: MEMBERS }, email: { memberSegment: MEMBERS } },
};

/** The format in which Ghost's editor sends text. */
export function lexicalOf(...children: readonly object[]): string {
  return JSON.stringify({
    root: { type: 'root', version: 1, direction: null, format: '', indent: 0, children },
  });
}
