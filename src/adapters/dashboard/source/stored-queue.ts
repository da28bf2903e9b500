import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../domain/errors.js';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../domain/model/capture.js';
import type { Change } from '../../../domain/model/job.js';
import { CAPTURED_KINDS, capturesOf } from '../mapping/dashboard-mapping.js';
import { kindsInsteadOf, LOOK_UP, type LookUps, lookUpsIn, type NotedLookUp } from './look-ups.js';
import type { SourceDialect } from './source-dialect.js';

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
export const LANES = ['keys', 'websites', 'content', 'lookups'] as const;
export type Lane = (typeof LANES)[number];

const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys'`,
  websites: `kind = 'websites'`,
  content: `kind not in ('api_keys', 'websites', '${LOOK_UP}')`,
  lookups: `kind = '${LOOK_UP}'`,
};

/** Each look-up may find thousands of keys. A revocation may have to wait for one batch. */
const MAX_LOOK_UPS = 500;
export const LOOK_UP_SECONDS = 1;

/** A change as the queue of either engine holds it. */
export interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

/** The queue in the database of a dashboard. */
export abstract class StoredQueue {
  #lookUpsAtOnce = MAX_LOOK_UPS;

  constructor(
    protected readonly database: Knex,
    private readonly dialect: SourceDialect,
  ) {}

  protected abstract readonly sql: {
    /** Has a row if the table exists. PostgreSQL refuses it without a right to the schema. */
    readonly whetherInstalled: string;
    readonly table: string;
    readonly key: string;
    /** The time of a change, as text. */
    readonly time: string;
    /** The age of the oldest of some changes, whose time is `at`. */
    readonly lagMs: string;
    /** A statement that adds the changes of a select of `kind`, `row_key` and `at`. */
    readonly add: (select: string) => string;
  };

  /** The oldest changes of the first of these lanes that has any; of look-ups at least one. */
  abstract oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]>;
  /** The newest changes of a lane, the newest first. */
  abstract newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]>;
  protected abstract delete(database: Knex, ids: readonly string[]): Promise<void>;
  /** A select of `row_key` and `at`: the keys that noted look-ups find. */
  protected abstract keysFound(database: Knex, lookUps: LookUps): Promise<string>;
  /** Throws SourceTooSlow after LOOK_UP_SECONDS. */
  protected abstract runBriefly(transaction: Knex, statement: string): Promise<void>;

  async isInstalled(): Promise<boolean> {
    return (await this.dialect.query(this.database, this.sql.whetherInstalled)).length > 0;
  }

  newest(): Promise<bigint | null> {
    return this.#idOf(`select max(id) as id from ${this.sql.table}`);
  }

  /** From an id at most that of the oldest change, so that deleted rows are not read again. */
  oldest(from: bigint): Promise<bigint | null> {
    return this.#idOf(`select min(id) as id from ${this.sql.table} where id >= ${from}`);
  }

  async lag(): Promise<ChangeQueue> {
    const oldest = `select at from ${this.sql.table} order by id limit ${MAX_COUNTED_CHANGES + 1}`;
    const lag = `select count(*) as changes, ${this.sql.lagMs} as lag from (${oldest}) as oldest`;
    const [row] = await this.dialect.query(this.database, lag);
    const isEmpty = row?.lag == null;
    return { length: Number(row?.changes), lagMs: isEmpty ? null : Math.max(0, Math.round(Number(row.lag))) };
  }

  acknowledge(ids: readonly string[]): Promise<void> {
    return this.delete(this.database, ids);
  }

  /**
   * Replaces a batch of noted look-ups by the keys that they find. A batch that fails is halved,
   * and a look-up that fails alone is everything. False: none was waiting.
   */
  async lookUp(): Promise<boolean> {
    const { table, key, time } = this.sql;
    const waiting = (await this.dialect.query(
      this.database,
      `select id, ${key} as "key", ${time} as "changedAt" from ${table} where ${CONDITIONS.lookups} order by id limit ${this.#lookUpsAtOnce}`,
    )) as unknown as readonly (NotedLookUp & { readonly id: string })[];
    if (waiting.length === 0) return false;
    const ids = waiting.map(({ id }) => id);
    const { lookUps, outdated } = lookUpsIn(waiting, capturesOf(this.dialect.mapping));
    try {
      await this.#replace(ids, lookUps, outdated);
      this.#lookUpsAtOnce = Math.min(2 * waiting.length, MAX_LOOK_UPS);
    } catch (error) {
      const isOfKey = error instanceof SourceTooSlow || this.dialect.rejectionIn(error) !== null;
      // The worker reports it, because it is no mistake of the key.
      if (!isOfKey || this.dialect.isDenied(error)) throw error;
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
          const keys = await this.keysFound(transaction, ofKey);
          const once = `select '${ofKey.kind}' as kind, row_key, min(at) as at
            from (${keys}) as found where row_key is not null group by row_key order by row_key`;
          await this.runBriefly(transaction, this.sql.add(once));
        }
        for (const kind of kindsInsteadOf(failing)) {
          const noted = `select '${kind}' as kind, null as row_key, '${failing[0]?.changedAt}' as at`;
          await this.runBriefly(transaction, this.sql.add(noted));
        }
        await this.delete(transaction, ids);
      },
      // MariaDB does not lock the rows that are read.
      { isolationLevel: 'read committed' },
    );
  }

  /** The changes of a lane, in an order. */
  protected selectOf(lane: Lane, isFirst: readonly string[] = []): string {
    const { key, table } = this.sql;
    const conditions = [CONDITIONS[lane], ...isFirst];
    return `select id, kind, ${key} as "key" from ${table} where ${conditions.join(' and ')}`;
  }

  async #idOf(statement: string): Promise<bigint | null> {
    const [row] = await this.dialect.query(this.database, statement);
    return row?.id == null ? null : BigInt(String(row.id));
  }
}

/** A change of a later version's kind, or that names no row, has everything read again. */
export function toChange({ id, kind: storedKind, key }: StoredChange): Change {
  const kind = CAPTURED_KINDS.find((captured) => captured === storedKind);
  if (kind === 'api_keys') return { id, kind: 'apiKeys', key };
  return kind !== undefined && key !== null ? { id, kind, key } : { id, kind: 'everything', key: null };
}
