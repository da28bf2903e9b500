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

/** The list of work, as whoever waits for its end asks for it. A check never ends, and nobody waits for it. */
export interface WaitingWork {
  /** Nothing that is unfinished has a higher one. */
  newest(): Promise<number>;
  /** Null: nothing is unfinished. */
  oldest(): Promise<number | null>;
  /** Why nothing goes on of the work up to `id`; null: some does, or nothing is left. */
  whyItWaits(id: number): Promise<string | null>;
  /** Whoever asks for it may have mended why it failed. */
  retry(): Promise<void>;
  /** How many rows a piece of work has changed; null: its store does not tell. */
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

/** Whatever store it is in. */
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
      // It may have been at work until now, by another worker that has finished it between the questions.
      const after = new Set(await unfinished());
      return before.some((each) => after.has(each)) ? 'each job waits for its next retry' : null;
    },
    retry: async () => {},
    changedRows: async () => null,
  };
}
