import type { Knex } from 'knex';
import type { Change } from '../../../domain/model/job.js';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { acknowledge } from './acknowledged-changes.js';
import type { Captures } from './captured-tables.js';
import { IS_LOOKUP, lookUp, lookUpAll } from './lookups.js';
import { PREFIX } from './note-function.js';
import { queryRow, queryRows } from './query-rows.js';
import { inSnapshot } from './snapshot.js';

const KINDS: Readonly<Record<string, Change['kind']>> = {
  api_keys: 'apiKeys',
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  websites: 'websites',
  organizations: 'organizations',
  everything: 'everything',
};
/** For all other kinds, a change without a key does not identify a row. */
const NEEDS_NO_KEY: readonly string[] = ['api_keys', 'everything'];

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
const LANES = [
  `kind = 'api_keys'`,
  `kind = 'websites'`,
  `kind not in ('api_keys', 'websites') and not ${IS_LOOKUP}`,
  IS_LOOKUP,
];
const LANE_OF_OTHERS = 2;
const WAITING = `select id, kind, entity_key as 'key' from ${PREFIX}changes`;

const MAX_SURVEYED = 5_000;
const MAX_SURVEYED_BYTES = 1024 * 1024;
/** A read of the whole queue passes each deleted row that an old snapshot retains, so these reads take at most a twentieth of the time. */
const SCAN_PAUSE_FACTOR = 20;

/** The queue that the change capture fills. Its only reader is the leader. */
export class MysqlChangeFeed implements ChangeFeed {
  /** The greatest id seen so far. A transaction that commits late may have a smaller one. */
  #seenUpTo = 0n;
  #nextFullScanAt = 0;
  #nextLane = 0;

  constructor(
    private readonly database: Knex,
    private readonly captures: Captures,
    private readonly sourceIn: (snapshot: Knex) => ContentSource,
  ) {}

  async read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    for (;;) {
      const result = await inSnapshot(this.database, (snapshot) => this.#readLane(snapshot, limit, see));
      if (result !== null) return result.seen;
      await lookUp(this.database, this.captures);
      this.#nextLane = 0;
    }
  }

  /** Null: look-ups have their turn. */
  async #readLane<Seen>(
    snapshot: Knex,
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<{ readonly seen: Seen } | null> {
    let found: readonly StoredChange[] = [];
    for (const lane of [...LANES.slice(this.#nextLane), ...LANES.slice(0, this.#nextLane)]) {
      found = await queryRows(snapshot, `${WAITING} where ${lane} order by id limit ${Number(limit)}`);
      if (found.length > 0 && lane === IS_LOOKUP) return null;
      if (found.length > 0) break;
    }
    if (found.length === 0) this.#nextLane = 0;
    for (const { id } of found) if (BigInt(id) > this.#seenUpTo) this.#seenUpTo = BigInt(id);
    return { seen: await see(found.map(toChange), this.sourceIn(snapshot)) };
  }

  async hasNew(): Promise<boolean> {
    const startedAt = performance.now();
    const isFull = startedAt >= this.#nextFullScanAt;
    const from = isFull ? '' : `where id > ${this.#seenUpTo}`;
    const { found } = await queryRow<{ found: string }>(
      this.database,
      `select exists (select 1 from ${PREFIX}changes ${from}) as found`,
    );
    const now = performance.now();
    if (isFull) this.#nextFullScanAt = now + SCAN_PAUSE_FACTOR * (now - startedAt);
    return found === '1';
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    await lookUpAll(this.database, this.captures);
    return inSnapshot(this.database, async (snapshot) => {
      const found = await queryRows<StoredChange>(
        snapshot,
        `${WAITING} order by id limit ${MAX_SURVEYED + 1}`,
      );
      const bytes = found.reduce((sum, { key }) => sum + (key?.length ?? 0), 0);
      const isTooMuch = found.length > MAX_SURVEYED || bytes > MAX_SURVEYED_BYTES;
      return see(isTooMuch ? null : found.map(toChange), this.sourceIn(snapshot));
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
}

interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

function laneOf({ kind }: Change): number {
  return kind === 'apiKeys' ? 0 : kind === 'websites' ? 1 : LANE_OF_OTHERS;
}

/**
 * The effect of a look-up that is still to be done, or of a kind unknown to this version (after a downgrade), is unknown: everything is
 * read again.
 */
function toChange({ id, kind, key }: StoredChange): Change {
  const known = KINDS[kind];
  const isKnown = known !== undefined && (key !== null || NEEDS_NO_KEY.includes(kind));
  return isKnown ? { id, kind: known, key } : { id, kind: 'everything', key: null };
}
