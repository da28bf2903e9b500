import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../domain/errors.js';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../domain/model/capture.js';
import type { Change } from '../../../domain/model/job.js';
import { inTurn } from '../../../domain/policies/ordering.js';
import type { ChangeFeed } from '../../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../../domain/ports/dashboard/content-source.js';
import { CAPTURED_KINDS, capturesOf } from '../mapping/dashboard-mapping.js';
import type { Engine } from './engine.js';
import { CONDITIONS, LANES, type Lane, type StoredChange } from './lanes.js';
import { kindsInsteadOf, LOOK_UP, type LookUps, lookUpsIn, type NotedLookUp } from './look-ups.js';
import { MappedContentSource } from './mapped-content-source.js';
import type { SourceReader } from './source-reader.js';

/** Each look-up may find thousands of keys. */
const MAX_LOOK_UPS = 500;

/** The queue that the change capture fills. Its only reader is the leader. */
export class MappedChangeFeed implements ChangeFeed {
  #firstLane: Lane = 'keys';
  #startsWithNewest = false;
  #lookUpsAtOnce = MAX_LOOK_UPS;

  constructor(
    private readonly database: Knex,
    private readonly reader: SourceReader,
    private readonly engine: Pick<Engine, 'client' | 'words' | 'capture'>,
  ) {}

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    for (;;) {
      const result = await this.#readNext(limit, see).catch((error: unknown) => {
        // Keys do not wait for what fails again and again.
        this.#firstLane = 'keys';
        throw error;
      });
      if (result !== null) return result.seen;
      await this.lookUp();
      this.#firstLane = 'keys';
    }
  }

  #readNext<Seen>(limit: number, see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>) {
    return this.reader.inSnapshot(this.database, async (snapshot) => {
      const changes = await this.#next(snapshot, limit);
      return changes === null
        ? null
        : { seen: await see(changes, new MappedContentSource(snapshot, this.reader)) };
    });
  }

  /** From both ends of the first lane that has any. Null: look-ups have their turn. */
  async #next(snapshot: Knex, limit: number): Promise<readonly Change[] | null> {
    const first = LANES.indexOf(this.#firstLane);
    const lanes = [...LANES.slice(first), ...LANES.slice(0, first)];
    const stored = await this.engine.capture.oldestIn(snapshot, lanes, limit);
    if (stored[0]?.kind === LOOK_UP) return null;
    const oldest = stored.map(toChange);
    const [change] = oldest;
    if (change === undefined) this.#firstLane = 'keys';
    if (change === undefined) return [];
    const newest =
      oldest.length < limit
        ? oldest.toReversed()
        : (await this.engine.capture.newestIn(snapshot, laneOf(change), limit)).map(toChange);
    return this.#startsWithNewest ? inTurn(newest, oldest, limit) : inTurn(oldest, newest, limit);
  }

  async hasNew(): Promise<boolean> {
    return (await this.newest()) !== null;
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    const [change] = changes;
    if (change === undefined) return;
    await this.engine.capture.delete(
      this.database,
      changes.map(({ id }) => id),
    );
    this.#startsWithNewest = !this.#startsWithNewest;
    this.#firstLane = LANES[LANES.indexOf(laneOf(change)) + 1] ?? 'keys';
  }

  async isInstalled(): Promise<boolean> {
    return (await this.reader.query(this.database, this.engine.words.queue.whetherInstalled)).length > 0;
  }

  newest(): Promise<bigint | null> {
    return this.#idOf(`select max(id) as id from ${this.engine.words.queue.table}`);
  }

  /** From an id at most that of the oldest change, so that deleted rows are not read again. */
  oldest(from: bigint): Promise<bigint | null> {
    return this.#idOf(`select min(id) as id from ${this.engine.words.queue.table} where id >= ${from}`);
  }

  async lag(): Promise<ChangeQueue> {
    const oldest = `select at from ${this.engine.words.queue.table} order by id limit ${MAX_COUNTED_CHANGES + 1}`;
    const lag = `select count(*) as changes, ${this.engine.words.queue.lagMs} as lag from (${oldest}) as oldest`;
    const [row] = await this.reader.query(this.database, lag);
    const isEmpty = row?.lag == null;
    return { length: Number(row?.changes), lagMs: isEmpty ? null : Math.max(0, Math.round(Number(row.lag))) };
  }

  /**
   * Replaces a batch of noted look-ups by the keys that they find. A batch that fails is halved,
   * and a look-up that fails alone is everything. False: none was waiting.
   */
  async lookUp(): Promise<boolean> {
    const { table, key, time } = this.engine.words.queue;
    const waiting = (await this.reader.query(
      this.database,
      `select id, ${key} as "key", ${time} as "changedAt" from ${table} where ${CONDITIONS.lookups} order by id limit ${this.#lookUpsAtOnce}`,
    )) as unknown as readonly (NotedLookUp & { readonly id: string })[];
    if (waiting.length === 0) return false;
    const ids = waiting.map(({ id }) => id);
    const { lookUps, outdated } = lookUpsIn(waiting, capturesOf(this.reader.mapping));
    try {
      await this.#replace(ids, lookUps, outdated);
      this.#lookUpsAtOnce = Math.min(2 * waiting.length, MAX_LOOK_UPS);
    } catch (error) {
      const isOfKey = error instanceof SourceTooSlow || this.reader.rejectionIn(error) !== null;
      // The worker reports it, because it is no mistake of the key.
      if (!isOfKey || this.engine.client.means(error, 'denied')) throw error;
      this.#lookUpsAtOnce = Math.max(1, waiting.length >> 1);
      if (waiting.length === 1) await this.#replace(ids, [], waiting);
    }
    return true;
  }

  /** `failing`: look-ups of which it is unknown what they find. */
  #replace(ids: readonly string[], lookUps: readonly LookUps[], failing: readonly NotedLookUp[]) {
    return this.database.transaction(
      async (transaction) => {
        for (const ofKey of lookUps) {
          const keys = await this.engine.capture.keysFound(transaction, ofKey);
          const once = `select '${ofKey.kind}' as kind, row_key, min(at) as at
            from (${keys}) as found where row_key is not null group by row_key order by row_key`;
          await this.engine.capture.runBriefly(transaction, this.engine.words.queue.add(once));
        }
        for (const kind of kindsInsteadOf(failing)) {
          const noted = `select '${kind}' as kind, null as row_key, '${failing[0]?.changedAt}' as at`;
          await this.engine.capture.runBriefly(transaction, this.engine.words.queue.add(noted));
        }
        await this.engine.capture.delete(transaction, ids);
      },
      // MariaDB does not lock the rows that are read.
      { isolationLevel: 'read committed' },
    );
  }

  async #idOf(statement: string): Promise<bigint | null> {
    const [row] = await this.reader.query(this.database, statement);
    return row?.id == null ? null : BigInt(String(row.id));
  }
}

function laneOf({ kind }: Change): Lane {
  return kind === 'apiKeys' ? 'keys' : kind === 'websites' ? 'websites' : 'content';
}

/** A change of a later version's kind, or that names no row, has everything read again. */
function toChange({ id, kind: storedKind, key }: StoredChange): Change {
  const kind = CAPTURED_KINDS.find((captured) => captured === storedKind);
  if (kind === 'api_keys') return { id, kind: 'apiKeys', key };
  return kind !== undefined && key !== null ? { id, kind, key } : { id, kind: 'everything', key: null };
}
