import type { Knex } from 'knex';
import { type Lane, LOOK_UP_SECONDS, type StoredChange, StoredQueue } from '../source/stored-queue.js';
import { keysFound } from './capture/noted-look-up.js';
import { prepared } from './read/prepared.js';
import { run } from './read/query-rows.js';

const CHANGES = 'content_sync.change_queue';

export class Queue extends StoredQueue {
  protected readonly sql = {
    whetherInstalled: `select 1 as one where to_regclass('${CHANGES}') is not null`,
    table: CHANGES,
    key: 'key',
    time: 'at::text',
    lagMs: 'extract(epoch from clock_timestamp() - min(at))::float * 1000',
    add: (select: string) => `insert into ${CHANGES} (kind, key, at) ${select}`,
  };
  protected readonly keysFound = keysFound;

  /** One statement: the round trips of an edit are most of its time. */
  async oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]> {
    const parts = lanes.map((lane, index) => {
      const isFirst = lanes.slice(0, index).map((before) => `not exists (select from of_${before})`);
      return `of_${lane} as (${this.selectOf(lane, isFirst)} order by id limit ${lane === 'lookups' ? 1 : ':limit'})`;
    });
    const all = lanes.map((lane) => `select * from of_${lane}`).join(' union all ');
    const { rows } = await snapshot
      .raw(`with ${parts.join(', ')} ${all} order by id`, { limit })
      .options(prepared(`oldest_from_${lanes[0]}`));
    return rows;
  }

  async newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]> {
    const { rows } = await snapshot
      .raw(`${this.selectOf(lane)} order by id desc limit :limit`, { limit })
      .options(prepared(`newest_from_${lane}`));
    return rows;
  }

  protected async delete(database: Knex, ids: readonly string[]): Promise<void> {
    await database
      .raw(`delete from ${CHANGES} where id = any(:ids::bigint[])`, { ids })
      .options(prepared('acknowledge'));
  }

  protected async runBriefly(transaction: Knex, statement: string): Promise<void> {
    await run(transaction, `set local statement_timeout = '${LOOK_UP_SECONDS}s'`);
    await run(transaction, statement);
  }
}
