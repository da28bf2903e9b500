import type { Knex } from 'knex';
import { run } from '../../../sql/postgres/query-rows.js';
import { changesIn, type Lane, type StoredChange } from '../../source/lanes.js';
import { LOOK_UP_SECONDS } from '../../source/look-ups.js';
import { prepared } from '../read/prepared.js';
import { WORDS } from '../words.js';

const { queue } = WORDS;

/** One statement: the round trips of an edit are most of its time. */
export async function oldestIn(
  snapshot: Knex,
  lanes: readonly Lane[],
  limit: number,
): Promise<readonly StoredChange[]> {
  const parts = lanes.map((lane, index) => {
    const isFirst = lanes.slice(0, index).map((before) => `not exists (select from of_${before})`);
    return `of_${lane} as (${changesIn(lane, queue, ...isFirst)} order by id limit ${lane === 'lookups' ? 1 : ':limit'})`;
  });
  const all = lanes.map((lane) => `select * from of_${lane}`).join(' union all ');
  const { rows } = await snapshot
    .raw(`with ${parts.join(', ')} ${all} order by id`, { limit })
    .options(prepared(`oldest_from_${lanes[0]}`));
  return rows;
}

export async function newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]> {
  const { rows } = await snapshot
    .raw(`${changesIn(lane, queue)} order by id desc limit :limit`, { limit })
    .options(prepared(`newest_from_${lane}`));
  return rows;
}

export async function deleteChanges(database: Knex, ids: readonly string[]): Promise<void> {
  await database
    .raw(`delete from ${queue.table} where id = any(:ids::bigint[])`, { ids })
    .options(prepared('acknowledge'));
}

export async function runBriefly(transaction: Knex, statement: string): Promise<void> {
  await run(transaction, `set local statement_timeout = '${LOOK_UP_SECONDS}s'`);
  await run(transaction, statement);
}
