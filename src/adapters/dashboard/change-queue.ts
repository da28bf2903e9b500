import type { Knex } from 'knex';
import type { RowKind } from '../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../domain/policies/shown-status.js';

/** The change queue as operators see it. */
export interface ChangeQueue {
  readonly length: number;
  /** How long the oldest change has been waiting; null: none waits. */
  readonly lagMs: number | null;
}

export async function changeQueue(database: Knex): Promise<ChangeQueue> {
  const { rows }: { rows: [{ length: string; lag: number | null }] } = await database.raw(`
    select count(*) as length, extract(epoch from clock_timestamp() - min(at))::float * 1000 as lag
    from content_sync.change_queue`);
  const [{ length, lag }] = rows;
  return { length: Number(length), lagMs: lag === null ? null : Math.max(0, Math.round(lag)) };
}

export async function isCaptureInstalled(database: Knex): Promise<boolean> {
  const { rows }: { rows: [{ found: boolean }] } = await database.raw(
    `select to_regclass('content_sync.acknowledged_changes') is not null as found`,
  );
  return rows[0].found;
}

/** The last change that is waiting; null: none is. */
export async function newestChange(database: Knex): Promise<number | null> {
  return idOf(await database.raw('select max(id) as id from content_sync.change_queue'));
}

export async function oldestChange(database: Knex): Promise<number | null> {
  return idOf(await database.raw('select min(id) as id from content_sync.change_queue'));
}

function idOf({ rows }: { rows: [{ id: string | null }] }): number | null {
  return rows[0].id === null ? null : Number(rows[0].id);
}

/** The rows that the API shows once all changes are applied, those that are set aside included. */
export async function countShownRows(database: Knex): Promise<Readonly<Record<RowKind, number>>> {
  const { rows }: { rows: [Readonly<Record<RowKind, string>>] } = await database.raw(`
    select (select count(*) from public.api_keys) as "apiKeys", (select count(*) from public.categories) as categories,
      (select count(*) from public.tags) as tags,
      (select count(*) from public.blogs where status = '${SHOWN_STATUS}') as blogs`);
  const { apiKeys, categories, tags, blogs } = rows[0];
  return {
    apiKeys: Number(apiKeys),
    categories: Number(categories),
    tags: Number(tags),
    blogs: Number(blogs),
  };
}
