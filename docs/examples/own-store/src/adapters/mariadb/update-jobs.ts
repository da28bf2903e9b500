import type { JobUpdate, Scope } from 'blog-content-read-api/ports';
import type { Session } from './database.js';

const ADVANCE = `
  update sync_jobs set progress = :progress, attempts = greatest(attempts - 1, 0), next_try_at = null where id = :id`;

const FAIL = `
  update sync_jobs set attempts = attempts + 1, last_error = :error,
    next_try_at = utc_timestamp(6) + interval :retryAfterMicros microsecond
  where id = :id`;

export async function updateJobs(session: Session, updates: readonly JobUpdate[]): Promise<void> {
  for (const update of updates) {
    switch (update.kind) {
      case 'add':
        await addMissing(session, update.scope);
        break;
      case 'advance':
        await session.execute(ADVANCE, { id: update.id, progress: JSON.stringify(update.progress) });
        break;
      case 'fail': {
        const { id, error, retryAfterMs } = update;
        await session.execute(FAIL, { id, error, retryAfterMicros: retryAfterMs * 1000 });
        break;
      }
      case 'finish':
        await session.execute('delete from sync_jobs where id = :id', { id: update.id });
    }
  }
}

export interface WaitingJob {
  readonly id: number;
  /** Null if the scope has no keys. */
  readonly keys: readonly string[] | null;
}

/** Jobs of this scope that have not begun. */
export async function waitingJobs(session: Session, scope: Scope): Promise<readonly WaitingJob[]> {
  const jobs = await session.query<{ id: number; job_keys: string | null }>(
    'select id, job_keys from sync_jobs where scope = :scope and progress is null order by id',
    { scope: scope.kind },
  );
  return jobs.map(({ id, job_keys }) => ({ id, keys: job_keys === null ? null : JSON.parse(job_keys) }));
}

/** Adds a job with the keys that no waiting job has. */
async function addMissing(session: Session, scope: Scope): Promise<void> {
  const waiting = await waitingJobs(session, scope);
  const covered = new Set(waiting.flatMap(({ keys }) => keys ?? []));
  const keys = 'keys' in scope ? [...new Set(scope.keys)].filter((key) => !covered.has(key)) : null;
  if (keys === null ? waiting.length > 0 : keys.length === 0) return;
  await session.executePrepared('insert into sync_jobs (scope, job_keys) values (?, ?)', [
    scope.kind,
    keys === null ? null : JSON.stringify(keys),
  ]);
}
