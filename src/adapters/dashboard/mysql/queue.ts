import type { Knex } from 'knex';
import { type Lane, RETENTION_SECONDS, type StoredChange, StoredQueue } from '../source/stored-queue.js';
import { type Captures, PREFIX } from './capture/captured-tables.js';
import { IS_LOOKUP, lookUp } from './capture/lookups.js';
import { queryRows } from './read/query-rows.js';

const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys'`,
  websites: `kind = 'websites'`,
  others: `kind not in ('api_keys', 'websites') and not ${IS_LOOKUP}`,
  lookups: IS_LOOKUP,
};
const CHANGES = `${PREFIX}changes`;
const MAX_DELETED = 10_000;
const MAX_REPLAYED = 10_000;
/** One acknowledgement in this many deletes the old ones. */
const CLEARED_EVERY = 100;

export class Queue extends StoredQueue {
  #acknowledgements = 0;

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
      const bound = lane === 'lookups' ? 1 : limit;
      const changes = await queryRows<StoredChange>(
        snapshot,
        `${this.stored} where ${CONDITIONS[lane]} order by id limit ${bound}`,
      );
      if (changes.length > 0) return changes;
    }
    return [];
  }

  /** Moves changes from the queue to a history, at a level that locks no gap of the dashboard. */
  async acknowledge(ids: readonly string[]): Promise<void> {
    const list = ids.map(BigInt).join(', ');
    await this.database.transaction(
      async (transaction) => {
        await transaction.raw(`
          insert into ${PREFIX}acknowledged (id, kind, entity_key, acknowledged_at)
          select uuid_short(), kind, entity_key, now(6)
          from (select distinct kind, entity_key from ${CHANGES} where id in (${list})) as taken`);
        await transaction.raw(`delete from ${CHANGES} where id in (${list})`);
      },
      { isolationLevel: 'read committed' },
    );
    if (this.#acknowledgements++ % CLEARED_EVERY > 0) return;
    await this.database.raw(`
      delete from ${PREFIX}acknowledged where acknowledged_at < now(6) - interval ${RETENTION_SECONDS} second
      order by acknowledged_at limit ${MAX_DELETED}`);
  }

  lookUp(): Promise<boolean> {
    return lookUp(this.database, this.captures);
  }

  async replay(seconds: number): Promise<number> {
    const since = `acknowledged_at >= now(6) - interval ${Math.ceil(Math.min(seconds, RETENTION_SECONDS))} second`;
    const lately = (kinds: string) => `(
      select kind, entity_key from ${PREFIX}acknowledged where ${kinds} and ${since} order by id desc limit ${MAX_REPLAYED})`;
    const reply: unknown = await this.database.raw(`
      insert into ${CHANGES} (id, kind, entity_key, at)
      select uuid_short(), lately.kind, lately.entity_key, now(6)
      from (${lately(`kind = 'api_keys'`)} union ${lately(`kind <> 'api_keys'`)}) as lately
      where not exists (
        select 1 from ${CHANGES} as waiting where waiting.kind = lately.kind and waiting.entity_key <=> lately.entity_key)`);
    return (reply as readonly [{ readonly affectedRows: number }])[0].affectedRows;
  }
}
