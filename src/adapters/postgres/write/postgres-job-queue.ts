import type { Knex } from 'knex';
import type { Job, JobProgress, Scope } from '../../../domain/model/job.js';
import type { JobQueue } from '../../../domain/ports/sync/job-queue.js';

interface StoredJob {
  readonly id: string;
  readonly scope: Scope['kind'];
  readonly attempts: number;
  readonly keys: readonly string[];
  readonly progress: JobProgress | null;
}

/**
 * Sent many times a second, so it is prepared: PostgreSQL keeps its plan under a name. Two jobs for
 * the same rows do not run beside each other.
 */
const NEXT = `
  select job.* from unnest(:scopes::text[], :lanes::int[]) as asked (wanted, lane) cross join lateral (
    select id, scope, attempts, keys, progress, coalesce(advanced_at, requested_at) as since from content_read.sync_jobs
    where scope = wanted and finished_at is null and (next_try_at is null or next_try_at <= clock_timestamp())
    order by case when keys = '{}' then null else coalesce(advanced_at, requested_at) end nulls first, id limit 1
  ) as job
  order by lane, since, id limit 1`;

/** In the read tables' database, so that jobs are committed with the rows of their step. */
export class PostgresJobQueue implements JobQueue {
  constructor(private readonly database: Knex) {}

  async next(...lanes: readonly (readonly Scope['kind'][])[]): Promise<Job | null> {
    const requested = lanes.flatMap((scopes, lane) => scopes.map((scope) => ({ scope, lane })));
    const { rows }: { rows: readonly StoredJob[] } = await this.database
      .raw(NEXT, { scopes: requested.map(({ scope }) => scope), lanes: requested.map(({ lane }) => lane) })
      .options({ name: 'content_read_next_job' });
    return rows.map(jobOf)[0] ?? null;
  }

  async unfinished(scopes: readonly Scope['kind'][]): Promise<readonly Job[]> {
    const jobs: readonly StoredJob[] = await this.#unfinished()
      .whereIn('scope', scopes)
      .orderBy('id')
      .select();
    return jobs.map(jobOf);
  }

  async requestEverything(): Promise<number> {
    const { rows }: { rows: { id: string }[] } = await this.database.raw(`
      with unfinished as (
        select id from content_read.sync_jobs where scope = 'everything' and finished_at is null order by id limit 1
      ), added as (
        insert into content_read.sync_jobs (scope) select 'everything' where not exists (select from unfinished) returning id
      )
      select id from unfinished union all select id from added`);
    return Number(rows[0]?.id);
  }

  async retryWaiting(): Promise<void> {
    await this.#unfinished().whereNotNull('next_try_at').update({ next_try_at: null });
    await this.database.raw('update content_read.unshown_rows set retry_at = clock_timestamp()');
  }

  async find(id: number): Promise<Job | null> {
    const jobs: readonly StoredJob[] = await this.#unfinished().where({ id }).select();
    return jobs.map(jobOf)[0] ?? null;
  }

  #unfinished(): Knex.QueryBuilder {
    return this.database.withSchema('content_read').from('sync_jobs').whereNull('finished_at');
  }
}

function jobOf(stored: StoredJob): Job {
  const { id, progress, attempts } = stored;
  return { id: Number(id), scope: scopeOf(stored), progress, attempts };
}

function scopeOf({ scope: kind, keys }: StoredJob): Scope {
  switch (kind) {
    case 'categories':
    case 'tags':
    case 'websites':
      return { kind, keys };
    default:
      return { kind };
  }
}
