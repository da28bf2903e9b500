import type { WalkedScope } from '../model/job.js';
import type { AnySlice, ReadModelSlice, RowKind } from '../model/read-model.js';
import { compareCodePoints } from '../policies/ordering.js';
import type { ContentSource } from '../ports/content-source.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { readDigestedSlice, readSlice } from './read-slice.js';

/** New rows cost less the more there are, so a step may have more, also of compared blogs. */
const MAX_KEYS_PER_ROW = 2;

/** The result of one step of a walk. */
export interface Walked {
  readonly slice: AnySlice | null;
  /** Null: the walk is over. */
  readonly last: string | null;
  readonly walked: number;
}

/** Blogs with digests of their contents. Those that differ have yet to be read. */
export interface Digested {
  readonly digested: ReadModelSlice<'blogs'>;
}

/** None of its rows are written. Those that differ are read again in full. */
export function isOnlyCompared(next: Walked | Digested): next is Digested {
  return 'digested' in next;
}

export const END: Walked = { slice: null, last: null, walked: 0 };

/** How many rows to read. */
export interface Stretch {
  readonly size: number;
  /** The maximum while all rows come before the next key of the read model; null: it has none. */
  readonly maxKeys: number;
  readonly nextHeld: string | null;
}

/** Only a job that reads everything finds many new rows. A step of one row looks for a bad one. */
export async function stretchAfter(
  writer: ReadModelWriter,
  scope: WalkedScope,
  kind: RowKind,
  after: string | null,
  size: number,
): Promise<Stretch> {
  if (scope.of !== 'everything' || size === 1) return { size, maxKeys: size, nextHeld: null };
  const [nextHeld = null] = await writer.keys(kind, after, 1);
  return { size, maxKeys: size * MAX_KEYS_PER_ROW, nextHeld };
}

export async function walkSource(
  source: ContentSource,
  scope: WalkedScope,
  kind: RowKind,
  after: string | null,
  { size, maxKeys, nextHeld }: Stretch,
): Promise<Walked | Digested> {
  const keys = await source.keys(kind, scope, after, maxKeys);
  const [first] = keys;
  if (first === undefined) return END;
  const isNew = (key: string) => nextHeld === null || compareCodePoints(key, nextHeld) < 0;
  if (kind === 'blogs' && !isNew(first)) return { digested: await readDigestedSlice(source, keys) };
  // The source may sort otherwise: a walk goes on after its last key, and skips what was left out.
  const end = keys.findIndex((key, index) => index >= size && !isNew(key));
  const stepKeys = end === -1 ? keys : keys.slice(0, end);
  const slice = (await readSlice(source, kind, stepKeys)) as AnySlice;
  return { slice, last: slice.ids.at(-1) ?? null, walked: slice.ids.length };
}

/** Reads whole rows for those that differ, up to `size`. */
export async function readDiffering(
  { digested }: Digested,
  source: ContentSource,
  writer: ReadModelWriter,
  size: number,
): Promise<Walked> {
  const { ids, refused } = digested;
  const differing = new Set([...(await writer.differing(digested)), ...refused.map(({ id }) => id)]);
  const differingIds = ids.filter((id) => differing.has(id));
  const slice =
    differingIds.length === 0 ? null : await readSlice(source, 'blogs', differingIds.slice(0, size));
  const left = differingIds[slice?.ids.length ?? 0];
  const walked = left === undefined ? ids : ids.slice(0, ids.indexOf(left));
  return { slice, last: walked.at(-1) ?? null, walked: walked.length };
}
