import type { WalkedScope } from '../model/job.js';
import type { AnySlice, ReadModelSlice, RowKind } from '../model/read-model.js';
import { compareCodePoints } from '../policies/ordering.js';
import type { ContentSource } from '../ports/content-source.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import { readDigestedSlice, readSlice } from './read-slice.js';
import type { UpdateReadModel } from './update-read-model.js';

/** The result of one step of a walk. */
export interface Walked {
  readonly slice: AnySlice | null;
  /** Null: the walk is over. */
  readonly last: string | null;
  readonly walked: number;
}

export const END: Walked = { slice: null, last: null, walked: 0 };

/** The next rows; or their digests, of which only those that differ are read in full. */
type Rows = { readonly slice: AnySlice } | { readonly digested: ReadModelSlice<'blogs'> } | null;

interface Ahead {
  readonly kind: RowKind;
  readonly after: string;
  /** How many writes there are before these rows are written. */
  readonly writes: number;
  readonly rows: Promise<Rows>;
}

/** While the rows of a step are compared or written, those of the next one are read. */
export class SourceWalk {
  #ahead: Ahead | null = null;

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly update: UpdateReadModel,
  ) {}

  /** The next rows of the source; of existing blogs in a rebuild, only those that differ. */
  async next(
    source: ContentSource,
    scope: WalkedScope,
    kind: RowKind,
    after: string | null,
    size: number,
  ): Promise<Walked> {
    const isRebuilt = scope.of === 'everything';
    const readFrom = async (position: string | null) => {
      // Asked before rows are written, because that takes the only connection.
      const existing = isRebuilt && kind === 'blogs' ? await this.writer.keys(kind, position, 1) : [];
      return { rows: readNext(source, scope, kind, position, size, existing[0]) };
    };
    const { rows } = this.#takeAhead(kind, after) ?? (await readFrom(after));
    const next = await rows;
    if (next === null) return END;
    const { ids } = 'digested' in next ? next.digested : next.slice;
    const last = ids.at(-1) ?? null;
    // A check reads from one snapshot, which the next step does not share.
    if (isRebuilt && last !== null) {
      this.#ahead = { kind, after: last, writes: this.update.writes + 1, ...(await readFrom(last)) };
      // Reported by the step that takes them.
      this.#ahead.rows.catch(() => {});
    }
    if ('digested' in next) return readDiffering(next.digested, source, this.writer);
    return { slice: next.slice, last, walked: ids.length };
  }

  /** Null: they have yet to be read, or another write may have written newer ones since. */
  #takeAhead(kind: RowKind, after: string | null): Ahead | null {
    const ahead = this.#ahead;
    this.#ahead = null;
    const isNext = ahead?.kind === kind && ahead.after === after && ahead.writes === this.update.writes;
    return isNext ? ahead : null;
  }
}

/** To compare new blogs first would read each of them twice. */
async function readNext(
  source: ContentSource,
  scope: WalkedScope,
  kind: RowKind,
  after: string | null,
  size: number,
  nextExisting: string | undefined,
): Promise<Rows> {
  const keys = await source.keys(kind, scope, after, size);
  const [first] = keys;
  if (first === undefined) return null;
  if (nextExisting !== undefined && compareCodePoints(first, nextExisting) >= 0)
    return { digested: await readDigestedSlice(source, keys) };
  return { slice: (await readSlice(source, kind, keys)) as AnySlice };
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
