import type { Job, JobQueue, Scope } from 'blog-content-read-api/ports';
import type { Session, Values } from './database.js';

interface StoredJob {
  readonly id: number;
  readonly scope: Scope['kind'];
  readonly job_keys: string | null;
  readonly progress: string | null;
  readonly attempts: number;
}

const IS_DUE = '(next_try_at is null or next_try_at <= utc_timestamp(6))';

/** Stored in the database of the read model, so the jobs that a step adds are committed together with its rows. */
export class MariadbJobQueue implements JobQueue {
  constructor(private readonly database: Session) {}

  async next(...lanes: readonly (readonly Scope['kind'][])[]): Promise<Job | null> {
    for (const scopes of lanes) {
      if (scopes.length === 0) continue;
      const [job] = await this.#jobs(`scope in (:scopes) and ${IS_DUE} order by id limit 1`, { scopes });
      if (job !== undefined) return job;
    }
    return null;
  }

  async newest(scopes: readonly Scope['kind'][]): Promise<Job | null> {
    if (scopes.length === 0) return null;
    const [job] = await this.#jobs(`scope in (:scopes) and ${IS_DUE} order by id desc limit 1`, { scopes });
    return job ?? null;
  }

  async requestEverything(): Promise<number> {
    await this.database.execute(
      `insert into sync_jobs (scope) select 'everything' where not exists (select 1 from sync_jobs where scope = 'everything')`,
    );
    const [oldest] = await this.#jobs(`scope = 'everything' order by id limit 1`, {});
    if (oldest === undefined) return this.requestEverything();
    return oldest.id;
  }

  async retryWaiting(): Promise<void> {
    await this.database.execute('update sync_jobs set next_try_at = null where next_try_at is not null');
    await this.database.execute('update unshown_rows set retry_at = utc_timestamp(6)');
  }

  async unfinished(scopes: readonly Scope['kind'][]): Promise<readonly Job[]> {
    if (scopes.length === 0) return [];
    return this.#jobs('scope in (:scopes) order by id', { scopes });
  }

  async find(id: number): Promise<Job | null> {
    const [job] = await this.#jobs('id = :id', { id });
    return job ?? null;
  }

  async #jobs(condition: string, values: Values): Promise<readonly Job[]> {
    const jobs = await this.database.query<StoredJob>(
      `select id, scope, job_keys, progress, attempts from sync_jobs where ${condition}`,
      values,
    );
    return jobs.map(jobOf);
  }
}

function jobOf({ id, scope: kind, job_keys, progress, attempts }: StoredJob): Job {
  const keys = job_keys === null ? {} : { keys: JSON.parse(job_keys) };
  const scope = { kind, ...keys } as Scope;
  return { id, scope, progress: progress === null ? null : JSON.parse(progress), attempts };
}
