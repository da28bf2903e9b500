import type { Knex } from 'knex';
import { type Lane, type StoredChange, StoredQueue } from '../source/stored-queue.js';
import { prepared } from './read/prepared.js';
import { isTimeOver } from './read/query-rows.js';

/** In this form, because the planner takes `lookup is null` for rare, and would sort. */
const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys' and case when lookup is null then true end`,
  websites: `kind = 'websites' and case when lookup is null then true end`,
  content: `case when lookup is null then kind end not in ('api_keys', 'websites')`,
  lookups: 'lookup is not null',
};
const CHANGES = 'content_sync.change_queue';
const ACKNOWLEDGE = 'select content_sync.acknowledge(:ids::bigint[])';

/** Each look-up may find thousands of keys. A revocation may have to wait for one batch. */
const MAX_LOOKUPS = 500;
const LOOKUP_TIMEOUT_MS = 1_000;

export class Queue extends StoredQueue {
  #lookupBatch = MAX_LOOKUPS;

  constructor(database: Knex) {
    super(database, {
      schema: `'content_sync'`,
      table: CHANGES,
      key: 'key',
      isLookup: CONDITIONS.lookups,
      lagMs: 'extract(epoch from clock_timestamp() - min(at))::float * 1000',
    });
  }

  protected async query(database: Knex, statement: string) {
    return (await database.raw(statement)).rows;
  }

  /** One statement: the round trips of an edit are most of its time. */
  async oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]> {
    const { rows } = await snapshot
      .raw(oldestIn(this.stored, lanes), { limit })
      .options(prepared(`oldest_from_${lanes[0]}`));
    return rows;
  }

  async newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]> {
    const newest = `${this.stored} where ${CONDITIONS[lane]} order by id desc limit :limit`;
    const { rows } = await snapshot.raw(newest, { limit }).options(prepared(`newest_from_${lane}`));
    return rows;
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
}

function oldestIn(stored: string, lanes: readonly Lane[]): string {
  const parts = lanes.map((lane, index) => {
    const isFree = lanes.slice(0, index).map((before) => `not exists (select from of_${before})`);
    const condition = [CONDITIONS[lane], ...isFree].join(' and ');
    return `of_${lane} as (${stored} where ${condition} order by id limit ${lane === 'lookups' ? 1 : ':limit'})`;
  });
  const all = lanes.map((lane) => `select * from of_${lane}`).join(' union all ');
  return `with ${parts.join(', ')} ${all} order by id`;
}
