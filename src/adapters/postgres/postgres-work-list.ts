import type { Knex } from 'knex';
import type { RowKind } from '../../domain/model/read-model.js';
import type { Scope, WorkItem, WorkProgress } from '../../domain/model/sync-work.js';
import type { WorkList } from '../../domain/ports/work-list.js';

interface StoredItem {
  readonly id: string;
  readonly scope: Scope['of'];
  readonly kind: RowKind | null;
  readonly attempts: number;
  readonly keys: readonly string[];
  readonly progress: WorkProgress | null;
}

/** In the database of the read tables: what a step adds commits together with its rows. */
export class PostgresWorkList implements WorkList {
  constructor(private readonly database: Knex) {}

  async next(scopes: readonly Scope['of'][]): Promise<WorkItem | null> {
    const items: readonly StoredItem[] = await this.#unfinished()
      .whereIn('scope', scopes)
      .whereRaw('(next_try_at is null or next_try_at <= clock_timestamp())')
      .orderBy('id')
      .limit(1)
      .select();
    return toItem(items[0]);
  }

  async unfinished(scopes: readonly Scope['of'][]): Promise<readonly WorkItem[]> {
    const items: readonly StoredItem[] = await this.#unfinished()
      .whereIn('scope', scopes)
      .orderBy('id')
      .select();
    return items.map(itemOf);
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

  async count(of: Scope['of']): Promise<number> {
    const [row] = await this.#unfinished().where({ scope: of }).count({ total: '*' });
    return Number(row?.total);
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
  return stored === undefined ? null : itemOf(stored);
}

function itemOf(stored: StoredItem): WorkItem {
  const { id, progress, attempts } = stored;
  return { id: Number(id), scope: scopeOf(stored), progress, attempts };
}

function scopeOf({ scope: of, kind, keys }: StoredItem): Scope {
  switch (of) {
    case 'apiKeys':
    case 'generations':
    case 'everything':
    case 'check':
      return { of };
    case 'rows':
      return { of, kind: kind as RowKind, keys };
    default:
      return { of, keys };
  }
}
