import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/job.js';
import { inTurn } from '../../../domain/policies/ordering.js';
import type { ChangeFeed } from '../../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../../domain/ports/dashboard/content-source.js';
import { LOOK_UP } from './look-ups.js';
import { MappedContentSource } from './mapped-content-source.js';
import type { SourceDialect } from './source-dialect.js';
import { LANES, type Lane, type StoredQueue, toChange } from './stored-queue.js';

/** The queue that the change capture fills. Its only reader is the leader. */
export class MappedChangeFeed implements ChangeFeed {
  #firstLane: Lane = 'keys';
  #startsWithNewest = false;

  constructor(
    private readonly database: Knex,
    private readonly dialect: SourceDialect,
    private readonly queue: StoredQueue,
  ) {}

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    for (;;) {
      const result = await this.dialect.inSnapshot(this.database, async (snapshot) => {
        const changes = await this.#next(snapshot, limit);
        return changes === null
          ? null
          : { seen: await see(changes, new MappedContentSource(snapshot, this.dialect)) };
      });
      if (result !== null) return result.seen;
      await this.queue.lookUp();
      this.#firstLane = 'keys';
    }
  }

  /** From both ends of the first lane that has any. Null: look-ups have their turn. */
  async #next(snapshot: Knex, limit: number): Promise<readonly Change[] | null> {
    const first = LANES.indexOf(this.#firstLane);
    const lanes = [...LANES.slice(first), ...LANES.slice(0, first)];
    const stored = await this.queue.oldestIn(snapshot, lanes, limit);
    if (stored[0]?.kind === LOOK_UP) return null;
    const oldest = stored.map(toChange);
    const [change] = oldest;
    if (change === undefined) this.#firstLane = 'keys';
    if (change === undefined) return [];
    const newest =
      oldest.length < limit
        ? oldest.toReversed()
        : (await this.queue.newestIn(snapshot, laneOf(change), limit)).map(toChange);
    return this.#startsWithNewest ? inTurn(newest, oldest, limit) : inTurn(oldest, newest, limit);
  }

  async hasNew(): Promise<boolean> {
    return (await this.queue.newest()) !== null;
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    const [change] = changes;
    if (change === undefined) return;
    await this.queue.acknowledge(changes.map(({ id }) => id));
    this.#startsWithNewest = !this.#startsWithNewest;
    this.#firstLane = LANES[LANES.indexOf(laneOf(change)) + 1] ?? 'keys';
  }
}

function laneOf({ kind }: Change): Lane {
  return kind === 'apiKeys' ? 'keys' : kind === 'websites' ? 'websites' : 'content';
}
