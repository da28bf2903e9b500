import type { Knex } from 'knex';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../domain/model/capture.js';
import {
  type Lane,
  LOOKUP,
  RETENTION_SECONDS,
  type StoredChange,
  type StoredQueue,
} from '../source/stored-queue.js';
import { prepared } from './read/prepared.js';
import { isTimeOver, limitedBySize } from './read/query-rows.js';

/** In this form, because the planner takes `lookup is null` for rare, and would sort. */
const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys' and case when lookup is null then true end`,
  websites: `kind = 'websites' and case when lookup is null then true end`,
  others: `case when lookup is null then kind end not in ('api_keys', 'websites')`,
  lookups: 'lookup is not null',
};
const CHANGES = 'content_sync.change_queue';
const STORED = `select id, case when lookup is null then kind else '${LOOKUP}' end as kind, key from ${CHANGES}`;
const HAS_AFTER = `select (select true from ${CHANGES} where id > :id::bigint order by id limit 1) is true as "hasChanges"`;
const ACKNOWLEDGE = 'select content_sync.acknowledge(:ids::bigint[])';

/** Each look-up may find thousands of keys. A revocation may have to wait for one batch. */
const MAX_LOOKUPS = 500;
const LOOKUP_TIMEOUT_MS = 1_000;

export class Queue implements StoredQueue {
  #lookupBatch = MAX_LOOKUPS;

  constructor(private readonly database: Knex) {}

  async isInstalled(): Promise<boolean> {
    const { rows }: { rows: [{ isInstalled: boolean }] } = await this.database.raw(
      `select to_regclass('content_sync.acknowledged_changes') is not null as "isInstalled"`,
    );
    return rows[0].isInstalled;
  }

  /** One statement: the round trips of an edit are most of its time. */
  async oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]> {
    const { rows } = await snapshot
      .raw(oldestIn(lanes), { limit })
      .options(prepared(`oldest_from_${lanes[0]}`));
    return rows;
  }

  async all(snapshot: Knex): Promise<readonly StoredChange[]> {
    return (await snapshot.raw(`${STORED} order by id`)).rows;
  }

  async size(snapshot: Knex, limit: number) {
    const { rows }: { rows: [{ changes: string; bytes: string | null }] } = await snapshot.raw(
      `select count(*) as changes, sum(octet_length(key)) as bytes from (select key from ${CHANGES} order by id limit :limit) as counted`,
      { limit },
    );
    return { changes: Number(rows[0].changes), bytes: Number(rows[0].bytes) };
  }

  async hasAfter(id: bigint): Promise<boolean> {
    const { rows }: { rows: [{ hasChanges: boolean }] } = await this.database
      .raw(HAS_AFTER, { id: String(id) })
      .options(prepared('has_after'));
    return rows[0].hasChanges;
  }

  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.database.raw(ACKNOWLEDGE, { ids }).options(prepared('acknowledge'));
  }

  /** `acknowledge` takes a look-up that exceeds the time limit alone as `everything`. */
  async lookUp(): Promise<boolean> {
    const { rows }: { rows: readonly { id: string }[] } = await this.database.raw(
      `select id from ${CHANGES} where ${CONDITIONS.lookups} order by id limit ${this.#lookupBatch}`,
    );
    if (rows.length === 0) return false;
    try {
      await this.database.transaction(async (transaction) => {
        await transaction.raw(`set local statement_timeout = ${LOOKUP_TIMEOUT_MS}`);
        await transaction.raw(ACKNOWLEDGE, { ids: rows.map(({ id }) => id) });
      });
      this.#lookupBatch = Math.min(2 * rows.length, MAX_LOOKUPS);
    } catch (error) {
      if (!isTimeOver(error)) throw error;
      this.#lookupBatch = Math.max(1, Math.floor(rows.length / 2));
    }
    return true;
  }

  async replay(seconds: number): Promise<number> {
    const { rows }: { rows: [{ replayed: string }] } = await this.database.raw(
      `select content_sync.replay_acknowledged(? * interval '1 second') as replayed`,
      [Math.min(seconds, RETENTION_SECONDS)],
    );
    return Number(rows[0].replayed);
  }

  async newest(): Promise<bigint | null> {
    return idOf(await this.database.raw(`select max(id) as id from ${CHANGES}`));
  }

  async oldest(from: bigint): Promise<bigint | null> {
    return idOf(
      await this.database.raw(`select min(id) as id from ${CHANGES} where id >= ?`, [String(from)]),
    );
  }

  async lag(): Promise<ChangeQueue> {
    const { rows }: { rows: [{ length: string; lag: number | null }] } = await this.database.raw(
      `select count(*) as length, extract(epoch from clock_timestamp() - min(at))::float * 1000 as lag
       from (select at from ${CHANGES} order by id limit ${MAX_COUNTED_CHANGES + 1}) as oldest`,
    );
    const [{ length, lag }] = rows;
    return { length: Number(length), lagMs: lag === null ? null : Math.max(0, Math.round(lag)) };
  }
}

function oldestIn(lanes: readonly Lane[]): string {
  const parts = lanes.map((lane, index) => {
    const isFree = lanes.slice(0, index).map((before) => `not exists (select from of_${before})`);
    const condition = [CONDITIONS[lane], ...isFree].join(' and ');
    return `of_${lane} as (${STORED} where ${condition} order by id limit ${lane === 'lookups' ? 1 : ':limit'})`;
  });
  const all = lanes.map((lane) => `select * from of_${lane}`).join(' union all ');
  return `with ${parts.join(', ')} ${limitedBySize(all, 'key', 'id')}`;
}

function idOf({ rows }: { rows: [{ id: string | null }] }): bigint | null {
  return rows[0].id === null ? null : BigInt(rows[0].id);
}
