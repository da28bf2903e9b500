import type { AnySlice, RowKind } from '../model/read-model.js';
import type { WalkedScope, WorkProgress } from '../model/sync-work.js';
import { compareCodePoints } from '../policies/ordering.js';
import type { ContentSource } from '../ports/content-source.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { readSlice } from './read-slice.js';

/** Rows that the read model does not have are copied, which costs less for each the more there are: more of them make a piece. */
const NEW_PER_ROW = 2;

/** What a piece of a walk came to. */
export interface Walked {
  readonly slice: AnySlice | null;
  /** Null: the walk is over. */
  readonly last: string | null;
  readonly walked: number;
}

export const END: Walked = { slice: null, last: null, walked: 0 };

/** How many rows to read. */
export interface Stretch {
  readonly size: number;
  /** As long as all of them are before the next one that the read model has; null: it has none any more. */
  readonly mostNew: number;
  readonly nextHeld: string | null;
}

/** Only who reads everything comes to many rows that are new. A piece of one row looks for one that fails. */
export async function stretchAfter(
  writer: ReadModelWriter,
  scope: WalkedScope,
  kind: RowKind,
  after: string | null,
  size: number,
): Promise<Stretch> {
  if (scope.of !== 'everything' || size === 1) return { size, mostNew: size, nextHeld: null };
  const [nextHeld = null] = await writer.keys(kind, after, 1);
  return { size, mostNew: size * NEW_PER_ROW, nextHeld };
}

export async function walkSource(
  source: ContentSource,
  scope: WalkedScope,
  kind: RowKind,
  { after }: WorkProgress,
  { size, mostNew, nextHeld }: Stretch,
): Promise<Walked> {
  const keys = await source.keys(kind, scope, after, mostNew);
  if (keys.length === 0) return END;
  const isNew = (key: string) => nextHeld === null || compareCodePoints(key, nextHeld) < 0;
  // The source may sort by another collation: a walk goes on behind its last key, and passes over what was left out before that.
  const end = keys.findIndex((key, at) => at >= size && !isNew(key));
  const piece = end === -1 ? keys : keys.slice(0, end);
  const slice = (await readSlice(source, kind, piece)) as AnySlice;
  return { slice, last: slice.ids.at(-1) ?? null, walked: slice.ids.length };
}
