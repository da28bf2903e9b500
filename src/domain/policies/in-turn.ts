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
