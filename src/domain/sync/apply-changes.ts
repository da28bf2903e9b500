import type { AnySlice, ReadModelUpdate } from '../model/read-model.js';
import type { Change, WideKind, WorkUpdate } from '../model/sync-work.js';
import type { ChangeFeed } from '../ports/change-feed.js';
import type { ContentSource } from '../ports/content-source.js';
import { readSlice } from './read-slice.js';
import type { UpdateReadModel } from './update-read-model.js';
import { KINDS } from './work-stages.js';

const BATCH = 250;
const WIDE_KINDS: readonly WideKind[] = ['categories', 'tags', 'websites'];

/**
 * Takes the oldest changes, writes their rows as they are now, and forgets the changes after that: whatever goes wrong on the way, they are
 * still there. What the changes mean for other rows goes on the list of work, together with the rows.
 */
export class ApplyChanges {
  constructor(
    private readonly feed: ChangeFeed,
    private readonly update: UpdateReadModel,
  ) {}

  /** Answers how many changes there were. */
  async run(epoch: number): Promise<number> {
    const { seen, update } = await this.feed.look(BATCH, async (changes, source) => ({
      seen: changes,
      update: await updateFor(changes, source),
    }));
    if (seen.length === 0) return 0;
    await this.update.run(epoch, update);
    await this.feed.forget(seen.filter((change) => isCovered(change, update.slices)));
    return seen.length;
  }
}

async function updateFor(changes: readonly Change[], source: ContentSource): Promise<ReadModelUpdate> {
  const keysOf = (kind: Change['kind']) => [
    ...new Set(
      changes.flatMap((change) => (change.kind === kind && change.key !== null ? [change.key] : [])),
    ),
  ];
  const slices: AnySlice[] = [];
  for (const kind of KINDS) {
    const keys = keysOf(kind);
    if (keys.length > 0) slices.push((await readSlice(source, kind, keys)) as AnySlice);
  }
  const work: WorkUpdate[] = [];
  for (const of of WIDE_KINDS) {
    const keys = keysOf(of);
    if (keys.length > 0) work.push({ kind: 'add', scope: { of, keys } });
  }
  if (changes.some(({ kind }) => kind === 'everything')) {
    work.push({ kind: 'add', scope: { of: 'everything' } });
  }
  return { slices, work, raiseAll: false };
}

/** Whether its row was read: some may have been left for the next time, being too large together. */
function isCovered({ kind, key }: Change, slices: readonly AnySlice[]): boolean {
  const slice = slices.find((each) => each.kind === kind);
  return slice === undefined || key === null || slice.ids.includes(key);
}
