import type { Knex } from 'knex';
import { type Lane, LOOK_UP_SECONDS, type StoredChange, StoredQueue } from '../source/stored-queue.js';
import { PREFIX } from './capture/note-function.js';
import { keysFound } from './capture/noted-look-up.js';
import { queryRows, run } from './read/query-rows.js';

const CHANGES = `${PREFIX}changes`;

export class Queue extends StoredQueue {
  protected readonly sql = {
    whetherInstalled: `select 1 as one from information_schema.tables where table_schema = database() and table_name = '${CHANGES}'`,
    table: CHANGES,
    key: 'entity_key',
    time: 'at',
    lagMs: 'timestampdiff(microsecond, min(at), sysdate(6)) / 1000',
    add: (select: string) =>
      `insert into ${CHANGES} (id, kind, entity_key, at) select uuid_short(), kind, row_key, at from (${select}) as added`,
  };
  protected readonly keysFound = keysFound;

  async oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]> {
    for (const lane of lanes) {
      const oldest = `${this.selectOf(lane)} order by id limit ${lane === 'lookups' ? 1 : limit}`;
      const changes = await queryRows<StoredChange>(snapshot, oldest);
      if (changes.length > 0) return changes;
    }
    return [];
  }

  newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]> {
    return queryRows(snapshot, `${this.selectOf(lane)} order by id desc limit ${limit}`);
  }

  /** By a join: `in` may scan the table, and wait for each transaction that has noted a change. */
  protected async delete(database: Knex, ids: readonly string[]): Promise<void> {
    const acknowledged = `json_table('[${ids.map(BigInt).join()}]', '$[*]' columns (id bigint unsigned path '$')) as acknowledged`;
    await database.raw(`delete ${CHANGES} from ${acknowledged} straight_join ${CHANGES} using (id)`);
  }

  /** MySQL has no time limit for a statement that writes. */
  protected async runBriefly(transaction: Knex, statement: string): Promise<void> {
    await run(transaction, `/*M! set statement max_statement_time = ${LOOK_UP_SECONDS} for */ ${statement}`);
  }
}
