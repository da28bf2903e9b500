import { LeadershipLost } from '../errors.js';
import type { AnySlice, ReadModelUpdate } from '../model/read-model.js';
import type { Change, WorkUpdate } from '../model/sync-work.js';
import type { ChangeFeed } from '../ports/change-feed.js';
import type { ContentSource } from '../ports/content-source.js';
import type { Log } from '../ports/log.js';
import type { Metrics } from '../ports/metrics.js';
import type { WorkList } from '../ports/work-list.js';
import { readSlice } from './read-slice.js';
import { StepSize } from './step-size.js';
import { WIDE_KINDS } from './unsettled-rows.js';
import type { UpdateReadModel } from './update-read-model.js';
import { MOST_FAILING_ROWS } from './work-attempt.js';
import { KINDS } from './work-stages.js';

const BATCH = 250;
/** Where more wait, as after a bulk statement: many rows at once cost less each, and a revocation waits for one batch. */
const LARGEST_BATCH = 3_000;
const MORE = 4;
/** The next ones of a batch are read while those before are written. */
const WRITTEN_AT_ONCE = 1_000;

/**
 * Takes the oldest changes, writes their rows as they are now, and forgets the changes after that: whatever goes wrong on the way, they are
 * still there. What the changes mean for other rows goes on the list of work, together with the rows.
 */
export class ApplyChanges {
  #batch = BATCH;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly source: ContentSource,
    private readonly list: WorkList,
    private readonly update: UpdateReadModel,
    private readonly metrics: Metrics,
    private readonly log: Log,
    /** A server that is away: nothing else would succeed either, and it is no failure of the changes. */
    private readonly isOutage: (error: unknown) => boolean,
    private readonly size = new StepSize(),
  ) {}

  /** Answers how many changes there were. */
  async run(epoch: number): Promise<number> {
    let seen: readonly Change[] = [];
    try {
      const first = await this.feed.look(this.size.of(this.#batch), (changes, source) => {
        seen = changes;
        return updateFor(changes.slice(0, WRITTEN_AT_ONCE), source);
      });
      if (seen.length === 0) return 0;
      await this.feed.forget(await this.#write(epoch, seen, first));
      this.#batch = Math.min(this.#batch * MORE, seen.length === this.#batch ? LARGEST_BATCH : BATCH);
    } catch (error) {
      if (error instanceof LeadershipLost || this.isOutage(error) || seen.length === 0) throw error;
      await this.#takeLess(epoch, seen, error);
    }
    return seen.length;
  }

  /** Answers the changes of which all is written. What is read after the look is as new as these, or newer. */
  async #write(epoch: number, seen: readonly Change[], first: ReadModelUpdate): Promise<readonly Change[]> {
    const written: Change[] = [];
    let reading = Promise.resolve(first);
    for (let at = 0; at < seen.length; at += WRITTEN_AT_ONCE) {
      const update = await reading;
      const end = at + WRITTEN_AT_ONCE;
      if (end < seen.length) {
        reading = updateFor(seen.slice(end, end + WRITTEN_AT_ONCE), this.source);
        // Whoever waits for it is told; nobody does if this write fails.
        reading.catch(() => {});
      }
      await this.update.run(epoch, update);
      written.push(...seen.slice(at, end).filter((change) => isCovered(change, update.slices)));
    }
    return written;
  }

  /** After a failure a batch is half as large, so that a change with which none succeeds is found at last: it goes on the list of work. */
  async #takeLess(epoch: number, seen: readonly Change[], error: unknown): Promise<void> {
    this.#batch = Math.max(1, Math.floor(seen.length / 2));
    this.metrics.count('work-failed');
    const [change] = seen;
    this.log.error('syncing: applying changes fails, and fewer are tried', {
      error,
      changes: seen.length,
      kind: change?.kind,
    });
    if (seen.length > 1 || change === undefined) return;
    if ((await this.list.count('rows')) >= MOST_FAILING_ROWS) throw error;
    const { kind, key } = change;
    const row = KINDS.find((each) => each === kind);
    const work = wideWorkFor(seen);
    if (row !== undefined && key !== null)
      work.push({ kind: 'add', scope: { of: 'rows', kind: row, keys: [key] } });
    await this.update.run(epoch, { slices: [], work });
    await this.feed.forget(seen);
  }
}

async function updateFor(changes: readonly Change[], source: ContentSource): Promise<ReadModelUpdate> {
  const slices: AnySlice[] = [];
  for (const kind of KINDS) {
    const keys = keysOf(changes, kind);
    if (keys.length > 0) slices.push((await readSlice(source, kind, keys)) as AnySlice);
  }
  const websites = keysOf(changes, 'websites');
  const owners = websites.length === 0 ? [] : await source.owners(websites);
  return { slices, owners, work: wideWorkFor(changes) };
}

/** What changes mean for other rows. */
function wideWorkFor(changes: readonly Change[]): WorkUpdate[] {
  const work: WorkUpdate[] = [];
  for (const of of WIDE_KINDS) {
    const keys = keysOf(changes, of);
    if (keys.length > 0) work.push({ kind: 'add', scope: { of, keys } });
  }
  if (changes.some(({ key }) => key === null)) work.push({ kind: 'add', scope: { of: 'apiKeys' } });
  if (changes.some(({ kind }) => kind === 'everything')) {
    work.push({ kind: 'add', scope: { of: 'everything' } });
  }
  return work;
}

function keysOf(changes: readonly Change[], kind: Change['kind']): readonly string[] {
  const ofKind = changes.flatMap((change) =>
    change.kind === kind && change.key !== null ? [change.key] : [],
  );
  return [...new Set(ofKind)];
}

/** Whether its row was read: some may have been left for the next time, being too large together. */
function isCovered({ kind, key }: Change, slices: readonly AnySlice[]): boolean {
  const slice = slices.find((each) => each.kind === kind);
  return slice === undefined || key === null || slice.ids.includes(key);
}
