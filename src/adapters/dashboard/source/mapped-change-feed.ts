import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/job.js';
import type { ChangeFeed } from '../../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../../domain/ports/dashboard/content-source.js';
import { MappedContentSource } from './mapped-content-source.js';
import { inSnapshot } from './readable-rows.js';
import type { Snapshot, SourceDialect, SourceTables } from './source-dialect.js';
import { LANES, type Lane, LOOKUP, type StoredChange, type StoredQueue, toChange } from './stored-queue.js';

/** The queue that the change capture fills. Its only reader is the leader. */
export class MappedChangeFeed<Tables extends SourceTables> implements ChangeFeed {
  #firstLane: Lane = 'keys';

  constructor(
    private readonly database: Knex,
    private readonly dialect: SourceDialect<Tables>,
    private readonly queue: StoredQueue,
  ) {}

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    for (;;) {
      const result = await inSnapshot(this.database, this.dialect, async (snapshot) => {
        const changes = await this.#oldest(snapshot.database, limit);
        return changes === null ? null : { seen: await see(changes.map(toChange), this.#sourceIn(snapshot)) };
      });
      if (result !== null) return result.seen;
      await this.queue.lookUp();
      this.#firstLane = 'keys';
    }
  }

  /** The oldest changes of the first lane that has any. Null: look-ups have their turn. */
  async #oldest(snapshot: Knex, limit: number): Promise<readonly StoredChange[] | null> {
    const first = LANES.indexOf(this.#firstLane);
    const lanes = [...LANES.slice(first), ...LANES.slice(0, first)];
    const changes = await this.queue.oldestIn(snapshot, lanes, limit);
    if (changes.length === 0) this.#firstLane = 'keys';
    return changes[0]?.kind === LOOKUP ? null : changes;
  }

  hasNew(): Promise<boolean> {
    return this.queue.hasChanges();
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    const [change] = changes;
    if (change === undefined) return;
    await this.queue.acknowledge(changes.map(({ id }) => id));
    this.#firstLane = LANES[LANES.indexOf(laneOf(change)) + 1] ?? 'keys';
  }

  #sourceIn({ database, outlivesFailures }: Snapshot): ContentSource {
    return new MappedContentSource(database, this.dialect, outlivesFailures);
  }
}

function laneOf({ kind }: Change): Lane {
  return kind === 'apiKeys' ? 'keys' : kind === 'websites' ? 'websites' : 'content';
}
