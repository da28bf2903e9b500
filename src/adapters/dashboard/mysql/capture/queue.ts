import type { Knex } from 'knex';
import { queryRows, run } from '../../../sql/mysql/query-rows.js';
import { changesIn, type Lane, type StoredChange } from '../../source/lanes.js';
import { LOOK_UP_SECONDS } from '../../source/look-ups.js';
import { WORDS } from '../words.js';

const { queue } = WORDS;

export async function oldestIn(
  snapshot: Knex,
  lanes: readonly Lane[],
  limit: number,
): Promise<readonly StoredChange[]> {
  for (const lane of lanes) {
    const oldest = `${changesIn(lane, queue)} order by id limit ${lane === 'lookups' ? 1 : limit}`;
    const changes = await queryRows<StoredChange>(snapshot, oldest);
    if (changes.length > 0) return changes;
  }
  return [];
}

export function newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]> {
  return queryRows(snapshot, `${changesIn(lane, queue)} order by id desc limit ${limit}`);
}

/** By a join: `in` may scan the table, and wait for each transaction that has noted a change. */
export async function deleteChanges(database: Knex, ids: readonly string[]): Promise<void> {
  const acknowledged = `json_table('[${ids.map(BigInt).join()}]', '$[*]' columns (id bigint unsigned path '$')) as acknowledged`;
  await database.raw(`delete ${queue.table} from ${acknowledged} straight_join ${queue.table} using (id)`);
}

/** MySQL has no time limit for a statement that writes. */
export async function runBriefly(transaction: Knex, statement: string): Promise<void> {
  await run(transaction, `/*M! set statement max_statement_time = ${LOOK_UP_SECONDS} for */ ${statement}`);
}
