import type { Knex } from 'knex';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../domain/model/capture.js';
import type { Change } from '../../../domain/model/job.js';
import type { Stored } from './source-dialect.js';

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
export const LANES = ['keys', 'websites', 'content', 'lookups'] as const;
export type Lane = (typeof LANES)[number];

/** The kind of a look-up: the keys that it finds take its place. */
export const LOOKUP = 'lookup';

/** A change as the queue of either engine holds it. */
export interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

/** The queue in the database of a dashboard. */
export abstract class StoredQueue {
  constructor(
    protected readonly database: Knex,
    private readonly sql: {
      readonly schema: string;
      readonly table: string;
      readonly key: string;
      /** The condition that a change is a look-up. */
      readonly isLookup: string;
      /** The age of the oldest of some changes, whose time is `at`. */
      readonly lagMs: string;
    },
  ) {}

  protected abstract query(database: Knex, statement: string): Promise<readonly Stored[]>;
  /** The oldest changes of the first of these lanes that has any; of look-ups at least one. */
  abstract oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]>;
  /** The newest changes of a lane, the newest first. */
  abstract newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]>;
  abstract acknowledge(ids: readonly string[]): Promise<void>;
  /** Replaces a batch of noted look-ups by the keys that they find. False: none was waiting. */
  abstract lookUp(): Promise<boolean>;

  async isInstalled(): Promise<boolean> {
    const { schema, table } = this.sql;
    const name = table.split('.').at(-1);
    const tables = `select 1 as one from information_schema.tables where table_schema = ${schema} and table_name = '${name}'`;
    return (await this.query(this.database, tables)).length > 0;
  }

  async hasChanges(): Promise<boolean> {
    return (
      (await this.query(this.database, `select id from ${this.sql.table} order by id limit 1`)).length > 0
    );
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
    const [row] = await this.query(this.database, lag);
    const isEmpty = row?.lag == null;
    return { length: Number(row?.changes), lagMs: isEmpty ? null : Math.max(0, Math.round(Number(row.lag))) };
  }

  /** A select of changes. */
  protected get stored(): string {
    const { key, isLookup, table } = this.sql;
    return `select id, case when ${isLookup} then '${LOOKUP}' else kind end as kind, ${key} as "key" from ${table}`;
  }

  async #idOf(statement: string): Promise<bigint | null> {
    const [row] = await this.query(this.database, statement);
    return row?.id == null ? null : BigInt(String(row.id));
  }
}

const KINDS: Readonly<Record<string, Change['kind']>> = {
  api_keys: 'apiKeys',
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  websites: 'websites',
  organizations: 'organizations',
  everything: 'everything',
};

/** A change of a later version's kind, or that names no row, has everything read again. */
export function toChange({ id, kind: storedKind, key }: StoredChange): Change {
  const kind = KINDS[storedKind];
  return kind !== undefined && (key !== null || kind === 'apiKeys')
    ? { id, kind, key }
    : { id, kind: 'everything', key: null };
}
