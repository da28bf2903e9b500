import type { Knex } from 'knex';
import { type Lane, type StoredChange, StoredQueue } from '../source/stored-queue.js';
import { type Captures, PREFIX } from './capture/captured-tables.js';
import { IS_LOOKUP, lookUp } from './capture/lookups.js';
import { queryRows } from './read/query-rows.js';

const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys'`,
  websites: `kind = 'websites'`,
  content: `kind not in ('api_keys', 'websites') and not ${IS_LOOKUP}`,
  lookups: IS_LOOKUP,
};
const CHANGES = `${PREFIX}changes`;

export class Queue extends StoredQueue {
  constructor(
    database: Knex,
    private readonly captures: Captures,
  ) {
    super(database, {
      schema: 'database()',
      table: CHANGES,
      key: 'entity_key',
      isLookup: IS_LOOKUP,
      lagMs: 'timestampdiff(microsecond, min(at), sysdate(6)) / 1000',
    });
  }

  protected query(database: Knex, statement: string) {
    return queryRows<Record<string, unknown>>(database, statement);
  }

  async oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]> {
    for (const lane of lanes) {
      const changes = await this.#first(snapshot, lane, 'id', lane === 'lookups' ? 1 : limit);
      if (changes.length > 0) return changes;
    }
    return [];
  }

  newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]> {
    return this.#first(snapshot, lane, 'id desc', limit);
  }

  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.database.raw(`delete from ${CHANGES} where id in (${ids.map(BigInt).join(', ')})`);
  }

  lookUp(): Promise<boolean> {
    return lookUp(this.database, this.captures);
  }

  #first(snapshot: Knex, lane: Lane, order: 'id' | 'id desc', limit: number) {
    return queryRows<StoredChange>(
      snapshot,
      `${this.stored} where ${CONDITIONS[lane]} order by ${order} limit ${limit}`,
    );
  }
}
