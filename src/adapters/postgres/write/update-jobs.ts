import type { Knex } from 'knex';
import type { JobUpdate } from '../../../domain/model/job.js';

/**
 * Keys that no waiting job covers; a scope without keys only if no job for it waits. A job that
 * fails is joined as well: it begins again, at once.
 */
const ADD = `
  with waiting as (
    select id, keys, attempts from content_read.sync_jobs
    where scope = :scope and finished_at is null and (progress is null or attempts > 0)
  ), missing as (
    select key from unnest(:keys::text[]) as key except select unnest(keys) from waiting
  ), woken as (
    update content_read.sync_jobs as job set progress = null, next_try_at = null from waiting
    where job.id = waiting.id and waiting.attempts > 0 and (:keys::text[] is null or waiting.keys && :keys::text[])
  )
  insert into content_read.sync_jobs (scope, keys)
  select :scope, array(select key from missing)
  where exists (select from missing) or (:keys::text[] is null and not exists (select from waiting))`;

const ADVANCE = `
  update content_read.sync_jobs
  set progress = :progress::jsonb, advanced_at = clock_timestamp(), changed_rows = changed_rows + :changedRows,
    attempts = greatest(attempts - 1, 0), next_try_at = null
  where id = :id`;

const FAIL = `
  update content_read.sync_jobs
  set attempts = attempts + 1, last_error = :error, next_try_at = clock_timestamp() + :retryAfterMs * interval '1 millisecond'
  where id = :id`;

/** Keeps the last job of each scope, and each that reconciled and found something. */
const FINISH = `
  with finished as (
    update content_read.sync_jobs set finished_at = clock_timestamp() where id = :id returning scope
  )
  delete from content_read.sync_jobs as old using finished
  where old.scope = finished.scope and old.id < :id and old.finished_at is not null
    and not (old.scope = 'reconcile' and old.changed_rows > 0)`;

export async function updateJobs(
  transaction: Knex.Transaction,
  updates: readonly JobUpdate[],
  changedRows: number,
): Promise<void> {
  for (const update of updates) {
    const [sql, bindings] = statementFor(update, changedRows);
    await transaction.raw(sql, bindings);
  }
}

function statementFor(update: JobUpdate, changedRows: number): [sql: string, bindings: Knex.ValueDict] {
  switch (update.kind) {
    case 'add': {
      const { scope } = update;
      const keys = 'keys' in scope ? [...scope.keys] : null;
      return [ADD, { scope: scope.kind, keys }];
    }
    case 'advance':
      return [ADVANCE, { id: update.id, progress: JSON.stringify(update.progress), changedRows }];
    case 'fail':
      return [FAIL, { id: update.id, error: update.error, retryAfterMs: update.retryAfterMs }];
    case 'finish':
      return [FINISH, { id: update.id }];
  }
}
