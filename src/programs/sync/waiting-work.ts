import {
  changedRowsOf,
  newestWork,
  oldestWork,
  retryWaitingWork,
  whyWorkWaits,
} from '../../adapters/postgres/sync-state.js';
import type { Scope } from '../../domain/model/sync-work.js';
import type { JobQueue } from '../../domain/ports/job-queue.js';
import type { SyncSession } from './sync-session.js';

/** The job queue for callers that wait until it is done. A check never ends and is not awaited. */
export interface WaitingWork {
  /** The highest id of the unfinished jobs, or more. */
  newest(): Promise<number>;
  /** The lowest id of the unfinished jobs. Null: there is none. */
  oldest(): Promise<number | null>;
  /** Why no job up to `id` makes progress. Null: one does, or none is left. */
  whyItWaits(id: number): Promise<string | null>;
  /** Retries failed jobs now: the caller may have fixed the cause. */
  retry(): Promise<void>;
  /** How many rows a job has changed. Null: its store does not report it. */
  changedRows(id: number): Promise<number | null>;
}

export const AWAITED: readonly Scope['of'][] = [
  'apiKeys',
  'generations',
  'everything',
  'categories',
  'tags',
  'websites',
  'rows',
];

export function waitingWork(session: SyncSession): WaitingWork {
  const isInReadTables = session.needs.readDatabase.includes('JobQueue');
  return isInReadTables ? inReadTables(session.readTables.database) : workOnList(session.ports.list);
}

function inReadTables(database: SyncSession['readTables']['database']): WaitingWork {
  return {
    newest: () => newestWork(database),
    oldest: () => oldestWork(database),
    whyItWaits: (id) => whyWorkWaits(database, id),
    retry: () => retryWaitingWork(database),
    changedRows: (id) => changedRowsOf(database, id),
  };
}

/** For any store. */
export function workOnList(list: JobQueue): WaitingWork {
  const unfinished = async () => (await list.unfinished(AWAITED)).map(({ id }) => id);
  return {
    newest: async () => Math.max(0, ...(await unfinished())),
    oldest: async () => {
      const ids = await unfinished();
      return ids.length === 0 ? null : Math.min(...ids);
    },
    whyItWaits: async (id) => {
      const before = (await unfinished()).filter((each) => each <= id);
      if (before.length === 0) return null;
      const next = await list.next(AWAITED);
      if (next !== null && next.id <= id) return null;
      // Another worker may have been running it until now, and have finished it between the queries.
      const after = new Set(await unfinished());
      return before.some((each) => after.has(each)) ? 'each job waits for its next retry' : null;
    },
    retry: async () => {},
    changedRows: async () => null,
  };
}
