import type { Knex } from 'knex';
import type { JobProgress, JobsState } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { WebhookEndpoint } from '../../../domain/model/webhook.js';
import { WRITTEN_TABLES } from './written-tables.js';

/** How many rows a job has changed, as long as that is stored. */
export async function changedRowsOf(database: Knex, id: number): Promise<number> {
  const [row]: readonly { changed_rows: string }[] = await database
    .withSchema('content_read')
    .from('sync_jobs')
    .where({ id })
    .select('changed_rows');
  return Number(row?.changed_rows ?? 0);
}

export interface UnfinishedJob {
  readonly scope: string;
  readonly keys: number;
  readonly requestedAt: Date;
  readonly progress: JobProgress | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly nextTryAt: Date | null;
}

/** The unfinished jobs, oldest first. A reconciling job is among them only if it fails. */
export async function unfinishedJobs(database: Knex): Promise<readonly UnfinishedJob[]> {
  const { rows }: { rows: UnfinishedJob[] } = await database.raw(`
    select scope, cardinality(keys) as keys, requested_at as "requestedAt", progress, attempts,
      case when attempts > 0 then last_error end as "lastError", next_try_at as "nextTryAt"
    from content_read.sync_jobs where (scope <> 'reconcile' or attempts > 0) and finished_at is null order by id`);
  return rows;
}

export async function jobsState(database: Knex): Promise<JobsState> {
  // Of jobs for all rows, one waits until the older one is done.
  const { rows }: { rows: [JobsState] } = await database.raw(`
    select extract(epoch from clock_timestamp() - min(requested_at) filter (where scope <> 'reconcile'))::float8 * 1000 as "oldestMs",
      extract(epoch from clock_timestamp() - min(coalesce(advanced_at, requested_at)) filter (where scope <> 'reconcile' and (keys <> '{}' or is_first)))::float8 * 1000 as "oldestStepMs",
      count(*) filter (where attempts > 0)::int as failing,
      (array_agg(last_error order by id) filter (where attempts > 0))[1] as "firstError"
    from (
      select *, id = min(id) over (partition by scope) as is_first from content_read.sync_jobs where finished_at is null
    ) as unfinished`);
  const [{ oldestMs, oldestStepMs, ...state }] = rows;
  return { ...state, oldestMs: ageOf(oldestMs), oldestStepMs: ageOf(oldestStepMs) };
}

function ageOf(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.max(0, Math.round(milliseconds));
}

export interface StoredUnshownRow {
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
  readonly since: Date;
  readonly attempts: number;
  readonly retryAt: Date;
}

export async function unshownRows(database: Knex): Promise<readonly StoredUnshownRow[]> {
  const { rows }: { rows: StoredUnshownRow[] } = await database.raw(
    'select kind, id, reason, since, attempts, retry_at as "retryAt" from content_read.unshown_rows order by since, kind, id',
  );
  return rows;
}

/** Unshown rows with the same cause. */
export interface UnshownCause {
  readonly kind: string;
  /** The reason of the first row. */
  readonly reason: string;
  readonly firstId: string;
  readonly rows: number;
}

/** The most frequent cause first. */
export async function unshownCauses(database: Knex): Promise<readonly UnshownCause[]> {
  const { rows }: { rows: UnshownCause[] } = await database.raw(`
    select kind, (array_agg(reason order by since, id))[1] as reason, (array_agg(id order by since, id))[1] as "firstId", count(*)::int as rows
    from content_read.unshown_rows group by kind, cause order by rows desc, kind, cause`);
  return rows;
}

/** When anything last changed in any organization, in microseconds since 1970. 0: never. */
export async function newestGeneration(database: Knex): Promise<number> {
  const [row] = await database.withSchema('content_read').from('organizations').max({ newest: 'generation' });
  return Number(row?.newest ?? 0);
}

export async function countReadRows(database: Knex): Promise<Readonly<Record<RowKind, number>>> {
  const counts: [RowKind, number][] = [];
  for (const [kind, { name }] of Object.entries(WRITTEN_TABLES)) {
    const [row] = await database.withSchema('content_read').from(name).count({ total: '*' });
    counts.push([kind as RowKind, Number(row?.total)]);
  }
  return Object.fromEntries(counts) as Record<RowKind, number>;
}

/** The sync worker that leads, or the last one that led. */
export interface LastLeader {
  readonly holder: string;
  readonly epoch: number;
  /** Why the last sessions of this worker ended. Null: they did not fail, or not lately. */
  readonly failure: string | null;
  readonly since: Date;
  readonly ledForMs: number;
  readonly lastBeatMs: number;
  readonly leads: boolean;
}

/** Null: no worker has ever led. `failsWithinMs`: a session that has written for longer works. */
export async function lastLeader(database: Knex, failsWithinMs: number): Promise<LastLeader | null> {
  const { rows }: { rows: LastLeader[] } = await database.raw(`
    select holder, epoch::float8 as epoch, since, leads,
      case when beat_at - since <= ${failsWithinMs} * interval '1 millisecond' then failure end as failure,
      round(extract(epoch from clock_timestamp() - since) * 1000)::float8 as "ledForMs",
      round(extract(epoch from clock_timestamp() - greatest(beat_at, since)) * 1000)::float8 as "lastBeatMs"
    from content_read.sync_leader, lateral (
      select exists (
        select from pg_locks where locktype = 'advisory' and granted and pid = backend_pid
          and database = (select oid from pg_database where datname = current_database())
      ) as leads
    ) as held
    where holder is not null`);
  return rows[0] ?? null;
}

/** An endpoint that does not accept what it is told. */
export interface FailingEndpoint {
  readonly endpoint: string;
  readonly organizations: number;
  readonly failingSince: Date;
  /** The reason of one of these organizations. */
  readonly reason: string;
}

/** Of these endpoints, those that have failed longest first. */
export async function failingEndpoints(
  database: Knex,
  endpoints: readonly WebhookEndpoint[],
): Promise<readonly FailingEndpoint[]> {
  if (endpoints.length === 0) return [];
  const ids = endpoints.map(({ id }) => id);
  const { rows }: { rows: FailingEndpoint[] } = await database.raw(
    `
    select endpoint.name as endpoint, count(*)::int as organizations, min(failing_since) as "failingSince", max(reason) as reason
    from content_read.webhook_deliveries join content_read.webhook_endpoints as endpoint on endpoint.id = endpoint_id
    where attempts > 0 and endpoint_id = any(?::text[]) group by endpoint.id order by min(failing_since)`,
    [ids],
  );
  return rows;
}
