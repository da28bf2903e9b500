import {
  changedRowsOf,
  newestJob,
  oldestJob,
  retryWaitingJobs,
  waitReason,
} from '../../adapters/postgres/inspect/sync-state.js';
import { SESSION } from '../../composition/session-tokens.js';
import type { Scope } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/job-queue.js';
import type { SyncSession } from './sync-session.js';

/** The job queue for callers that wait until it is done. A check never ends and is not awaited. */
export interface WaitingJobs {
  /** The highest id of the unfinished jobs, or more. */
  newest(): Promise<number>;
  /** The lowest id of the unfinished jobs. Null: there is none. */
  oldest(): Promise<number | null>;
  /** Why no job up to `id` makes progress. Null: one does, or none is left. */
  waitReason(id: number): Promise<string | null>;
  /** Retries failed jobs now: the caller may have fixed the cause. */
  retry(): Promise<void>;
  /** How many rows a job has changed. Null: its store does not report it. */
  changedRows(id: number): Promise<number | null>;
}

export const AWAITED: readonly Scope['of'][] = [
  'apiKeys',
  'everything',
  'categories',
  'tags',
  'websites',
  'rows',
];

export function waitingJobs(session: SyncSession): WaitingJobs {
  const { jobs } = session.ports;
  return session.replaces(SESSION.jobQueue) ? jobsInQueue(jobs) : inReadTables(session.readTables.database);
}

function inReadTables(database: SyncSession['readTables']['database']): WaitingJobs {
  return {
    newest: () => newestJob(database),
    oldest: () => oldestJob(database),
    waitReason: (id) => waitReason(database, id),
    retry: () => retryWaitingJobs(database),
    changedRows: (id) => changedRowsOf(database, id),
  };
}

/** For any store. */
export function jobsInQueue(list: JobQueue): WaitingJobs {
  const unfinished = async () => (await list.unfinished(AWAITED)).map(({ id }) => id);
  return {
    newest: async () => Math.max(0, ...(await unfinished())),
    oldest: async () => {
      const ids = await unfinished();
      return ids.length === 0 ? null : Math.min(...ids);
    },
    waitReason: async (id) => {
      const before = (await unfinished()).filter((jobId) => jobId <= id);
      if (before.length === 0) return null;
      const next = await list.next(AWAITED);
      if (next !== null && next.id <= id) return null;
      // Another worker may have finished it between the queries.
      const after = new Set(await unfinished());
      return before.some((jobId) => after.has(jobId)) ? 'each job waits for its next retry' : null;
    },
    retry: async () => {},
    changedRows: async () => null,
  };
}
