import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/job.js';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { MappedContentSource } from '../source/mapped-content-source.js';
import { inSnapshot } from '../source/readable-rows.js';
import type { Snapshot } from '../source/source-dialect.js';
import { MAX_SURVEYED, type StoredChange, toChange } from '../source/stored-change.js';
import type { Captures } from './capture/captured-tables.js';
import { acknowledge, PREFIX } from './capture/change-queue.js';
import { IS_LOOKUP, lookUp, lookUpAll } from './capture/lookups.js';
import type { Dialect } from './dialect.js';
import { queryRow, queryRows } from './read/query-rows.js';

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
const LANES = [
  `kind = 'api_keys'`,
  `kind = 'websites'`,
  `kind not in ('api_keys', 'websites') and not ${IS_LOOKUP}`,
  IS_LOOKUP,
];
const LANE_OF_OTHERS = 2;
const WAITING = `select id, kind, entity_key as 'key' from ${PREFIX}changes`;

const MAX_SURVEYED_BYTES = 1024 * 1024;
/** A read of the whole queue passes the rows that an old snapshot retains, so it is seldom. */
const SCAN_PAUSE_FACTOR = 20;

/** The queue that the change capture fills. Its only reader is the leader. */
export class MysqlChangeFeed implements ChangeFeed {
  /** The greatest id seen so far. A transaction that commits late may have a smaller one. */
  #seenUpTo = 0n;
  #nextFullScanAt = 0;
  #nextLane = 0;

  constructor(
    private readonly database: Knex,
    private readonly dialect: Dialect,
    private readonly captures: Captures,
  ) {}

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    for (;;) {
      const result = await inSnapshot(this.database, this.dialect, (snapshot) =>
        this.#readLane(snapshot, limit, see),
      );
      if (result !== null) return result.seen;
      await lookUp(this.database, this.captures);
      this.#nextLane = 0;
    }
  }

  /** Null: look-ups have their turn. */
  async #readLane<Seen>(
    snapshot: Snapshot,
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<{ readonly seen: Seen } | null> {
    let changes: readonly StoredChange[] = [];
    for (const lane of [...LANES.slice(this.#nextLane), ...LANES.slice(0, this.#nextLane)]) {
      changes = await queryRows(
        snapshot.database,
        `${WAITING} where ${lane} order by id limit ${Number(limit)}`,
      );
      if (changes.length > 0 && lane === IS_LOOKUP) return null;
      if (changes.length > 0) break;
    }
    if (changes.length === 0) this.#nextLane = 0;
    for (const { id } of changes) if (BigInt(id) > this.#seenUpTo) this.#seenUpTo = BigInt(id);
    return { seen: await see(changes.map(toChange), this.#sourceIn(snapshot)) };
  }

  async hasNew(): Promise<boolean> {
    const startedAt = performance.now();
    const isFull = startedAt >= this.#nextFullScanAt;
    const from = isFull ? '' : `where id > ${this.#seenUpTo}`;
    const { found: hasChanges } = await queryRow<{ found: string }>(
      this.database,
      `select exists (select 1 from ${PREFIX}changes ${from}) as found`,
    );
    const now = performance.now();
    if (isFull) this.#nextFullScanAt = now + SCAN_PAUSE_FACTOR * (now - startedAt);
    return hasChanges === '1';
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    await lookUpAll(this.database, this.captures);
    return inSnapshot(this.database, this.dialect, async (snapshot) => {
      const changes = await queryRows<StoredChange>(
        snapshot.database,
        `${WAITING} order by id limit ${MAX_SURVEYED + 1}`,
      );
      const bytes = changes.reduce((sum, { key }) => sum + (key?.length ?? 0), 0);
      const isTooMuch = changes.length > MAX_SURVEYED || bytes > MAX_SURVEYED_BYTES;
      return see(isTooMuch ? null : changes.map(toChange), this.#sourceIn(snapshot));
    });
  }

  async acknowledge(changes: readonly Change[]): Promise<void> {
    await acknowledge(
      this.database,
      changes.map(({ id }) => BigInt(id)),
    );
    const [change] = changes;
    if (change !== undefined) this.#nextLane = 1 + laneOf(change);
  }

  #sourceIn({ database, outlivesFailures }: Snapshot): ContentSource {
    return new MappedContentSource(database, this.dialect, outlivesFailures);
  }
}

function laneOf({ kind }: Change): number {
  return kind === 'apiKeys' ? 0 : kind === 'websites' ? 1 : LANE_OF_OTHERS;
}
