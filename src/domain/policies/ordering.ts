/** Sort orders on which all adapters and pages agree. */

// `en` is Unicode's root collation; naming it makes the machine's locale irrelevant.
const rootCollation = new Intl.Collator('en');

/** By code point, as PostgreSQL's "C" collation does. JavaScript's `<` compares UTF-16 units. */
export function compareCodePoints(a: string, b: string): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    if (a.charCodeAt(index) === b.charCodeAt(index)) continue;
    return unitRank(a.charCodeAt(index)) - unitRank(b.charCodeAt(index));
  }
  return a.length - b.length;
}

/** Surrogates encode the highest code points, but are not the highest UTF-16 units. */
function unitRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Tags by name (letters, then accents, then case), then by id. */
export function byName(a: Named, b: Named): number {
  return rootCollation.compare(a.name, b.name) || compareCodePoints(a.id, b.id);
}

/** The order of categories. */
export function bySortOrder(a: Named & { sortOrder: number }, b: Named & { sortOrder: number }): number {
  return a.sortOrder - b.sortOrder || byName(a, b);
}

interface Published {
  readonly id: string;
  readonly publishedAt: number;
}

/** The order of blogs: newest first. */
export function newestFirst(a: Published, b: Published): number {
  return b.publishedAt - a.publishedAt || compareCodePoints(b.id, a.id);
}

/** From the beginnings of two lists in turn, up to the limit. What both have counts once. */
export function inTurn<Entry extends { readonly id: string }>(
  first: readonly Entry[],
  second: readonly Entry[],
  limit: number,
): readonly Entry[] {
  const taken = new Map<string, Entry>();
  for (let n = 0; n < Math.max(first.length, second.length) && taken.size < limit; n++) {
    for (const entry of [first[n], second[n]]) {
      if (entry !== undefined && taken.size < limit) taken.set(entry.id, entry);
    }
  }
  return [...taken.values()];
}
