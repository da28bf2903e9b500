import { LeadershipLost } from '../errors.js';
import type { AnySlice, ReadModelUpdate } from '../model/read-model.js';
import type { Change, JobUpdate } from '../model/sync-work.js';
import type { ChangeFeed } from '../ports/change-feed.js';
import type { Clock } from '../ports/clock.js';
import type { ContentSource } from '../ports/content-source.js';
import type { JobQueue } from '../ports/job-queue.js';
import type { Log } from '../ports/log.js';
import type { Metrics } from '../ports/metrics.js';
import { MOST_FAILING_ROWS } from './job-attempt.js';
import { KINDS } from './job-phases.js';
import { readSlice } from './read-slice.js';
import { StepSize } from './step-size.js';
import { WIDE_KINDS } from './unsettled-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

/** Many rows at once cost less each, and a revocation waits for one batch, or for two where more wait. */
const BATCH = 1_000;
const MORE = 4;
/** Longer work and the check wait for the end of a run. */
const LONGEST_RUN_MS = 1_000;

/** Changes that wait, and what their rows are at the moment of the look. */
interface Look {
  readonly seen: { changes: readonly Change[]; areMoreWaiting: boolean };
  readonly update: Promise<ReadModelUpdate>;
}

/**
 * Takes the oldest changes, writes their rows as they are now, and forgets the changes after that: whatever goes wrong on the way, they are
 * still there. What the changes mean for other rows goes on the list of work, together with the rows.
 */
export class ApplyChanges {
  #batch = BATCH;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly list: JobQueue,
    private readonly update: UpdateReadModel,
    private readonly metrics: Metrics,
    private readonly log: Log,
    /** A server that is away: nothing else would succeed either, and it is no failure of the changes. */
    private readonly isOutage: (error: unknown) => boolean,
    private readonly clock: Clock,
    private readonly size = new StepSize(),
  ) {}

  /**
   * One batch, and where more wait the next ones for a while: each is looked at, and the one before it forgotten, while another is written.
   * Answers how many changes there were.
   */
  async run(epoch: number): Promise<number> {
    const lastLookBefore = this.clock.now() + LONGEST_RUN_MS;
    let applied = 0;
    let written: readonly Change[] = [];
    let look = this.#look([], written);
    try {
      for (;;) {
        const update = await look.update;
        const { changes, areMoreWaiting } = look.seen;
        if (changes.length === 0) break;
        const next =
          areMoreWaiting && this.clock.now() < lastLookBefore ? this.#look(changes, written) : null;
        if (next !== null) written = [];
        await this.update.run(epoch, update);
        written = [...written, ...changes.filter((change) => isCovered(change, update.slices))];
        applied += changes.length;
        this.#batch = Math.min(this.#batch * MORE, BATCH);
        if (next === null) break;
        look = next;
      }
      if (written.length > 0) await this.feed.acknowledge(written);
      return applied;
    } catch (error) {
      const { changes } = look.seen;
      if (error instanceof LeadershipLost || this.isOutage(error) || changes.length === 0) throw error;
      await this.#takeLess(epoch, changes, error);
      return applied + changes.length;
    }
  }

  /** Forgets what is written, and leaves out what is being written, which still waits. */
  #look(beingWritten: readonly Change[], written: readonly Change[]): Look {
    const limit = beingWritten.length + this.size.of(this.#batch);
    const leftOut = new Set(beingWritten.map(({ id }) => id));
    const seen: Look['seen'] = { changes: [], areMoreWaiting: false };
    const lookAndRead = async () => {
      if (written.length > 0) await this.feed.acknowledge(written);
      return this.feed.read(limit, (changes, source) => {
        seen.changes = changes.filter(({ id }) => !leftOut.has(id));
        seen.areMoreWaiting = changes.length === limit;
        return updateFor(seen.changes, source);
      });
    };
    const update = lookAndRead();
    // Whoever waits for it is told; nobody does if the write before fails.
    update.catch(() => {});
    return { seen, update };
  }

  /** After a failure a batch is half as large, so that a change with which none succeeds is found at last: it goes on the list of work. */
  async #takeLess(epoch: number, seen: readonly Change[], error: unknown): Promise<void> {
    this.#batch = Math.max(1, Math.floor(seen.length / 2));
    this.metrics.count('work-failed');
    const [change] = seen;
    this.log.error('syncing: applying a batch failed; it is retried with fewer changes', {
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
    await this.feed.acknowledge(seen);
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
function wideWorkFor(changes: readonly Change[]): JobUpdate[] {
  const work: JobUpdate[] = [];
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
