import type { WalkedScope } from '../model/job.js';
import type { AnySlice, ReadModelSlice, RowKind } from '../model/read-model.js';
import { compareCodePoints } from '../policies/ordering.js';
import type { ContentSource } from '../ports/content-source.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { readDigestedSlice, readSlice } from './read-slice.js';

/** The result of one step of a walk. */
export interface Walked {
  readonly slice: AnySlice | null;
  /** Null: the walk is over. */
  readonly last: string | null;
  readonly walked: number;
}

export const END: Walked = { slice: null, last: null, walked: 0 };

/** The next rows of the source; of existing blogs in a rebuild, only those that differ. */
export async function walkSource(
  source: ContentSource,
  writer: ReadModelWriter,
  scope: WalkedScope,
  kind: RowKind,
  after: string | null,
  size: number,
): Promise<Walked> {
  const keys = await source.keys(kind, scope, after, size);
  const [first] = keys;
  if (first === undefined) return END;
  if (scope.of === 'everything' && kind === 'blogs' && !(await isNew(first, writer, after)))
    return readDiffering(await readDigestedSlice(source, keys), source, writer);
  const slice = (await readSlice(source, kind, keys)) as AnySlice;
  return { slice, last: slice.ids.at(-1) ?? null, walked: slice.ids.length };
}

/** To compare new blogs first would read each of them twice. */
async function isNew(first: string, writer: ReadModelWriter, after: string | null): Promise<boolean> {
  const [next] = await writer.keys('blogs', after, 1);
  return next === undefined || compareCodePoints(first, next) < 0;
}

async function readDiffering(
  digested: ReadModelSlice<'blogs'>,
  source: ContentSource,
  writer: ReadModelWriter,
): Promise<Walked> {
  const { ids, refused } = digested;
  const differing = new Set([...(await writer.differing(digested)), ...refused.map(({ id }) => id)]);
  const differingIds = ids.filter((id) => differing.has(id));
  const slice = differingIds.length === 0 ? null : await readSlice(source, 'blogs', differingIds);
  // The content of all that differ may be too large for one read.
  const left = differingIds[slice?.ids.length ?? 0];
  const walked = left === undefined ? ids : ids.slice(0, ids.indexOf(left));
  return { slice, last: walked.at(-1) ?? null, walked: walked.length };
}
