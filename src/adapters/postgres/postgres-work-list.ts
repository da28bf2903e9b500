import type { Knex } from 'knex';
import type { Scope, WorkItem, WorkProgress } from '../../domain/model/sync-work.js';
import type { WorkList } from '../../domain/ports/work-list.js';

interface StoredItem {
  readonly id: string;
  readonly scope: Scope['of'];
  readonly keys: readonly string[];
  readonly progress: WorkProgress | null;
}

/** In the database of the read tables: what a step adds commits together with its rows. */
export class PostgresWorkList implements WorkList {
  constructor(private readonly database: Knex) {}

  async next(scopes: readonly Scope['of'][]): Promise<WorkItem | null> {
    const items: readonly StoredItem[] = await this.#unfinished()
      .whereIn('scope', scopes)
      .orderBy('id')
      .limit(1)
      .select();
    return toItem(items[0]);
  }

  async requestEverything(): Promise<number> {
    const { rows }: { rows: { id: string }[] } = await this.database.raw(`
      with unfinished as (
        select id from content_read.sync_work where scope = 'everything' and finished_at is null order by id limit 1
      ), added as (
        insert into content_read.sync_work (scope) select 'everything' where not exists (select from unfinished) returning id
      )
      select id from unfinished union all select id from added`);
    return Number(rows[0]?.id);
  }

  async find(id: number): Promise<WorkItem | null> {
    const items: readonly StoredItem[] = await this.#unfinished().where({ id }).select();
    return toItem(items[0]);
  }

  #unfinished(): Knex.QueryBuilder {
    return this.database.withSchema('content_read').from('sync_work').whereNull('finished_at');
  }
}

function toItem(stored: StoredItem | undefined): WorkItem | null {
  if (stored === undefined) return null;
  const { id, scope, keys, progress } = stored;
  return {
    id: Number(id),
    scope: scope === 'everything' || scope === 'check' ? { of: scope } : { of: scope, keys },
    progress,
  };
}
