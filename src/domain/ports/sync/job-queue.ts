import type { Job, Scope } from '../../model/job.js';

/** Jobs of several steps; the read-model writer adds those of a step with its rows. */
export interface JobQueue {
  /**
   * An unfinished job of the first lane that has one and waits for no retry: the one whose last
   * step, or else request, is longest ago. Of one scope without keys, the oldest.
   */
  next(...lanes: readonly (readonly Scope['kind'][])[]): Promise<Job | null>;
  /** Requests a rebuild, or continues an unfinished one; every process may call this. */
  requestEverything(): Promise<number>;
  /** Ends all waits of jobs and of unshown rows, as after a repair; every process may call this. */
  retryWaiting(): Promise<void>;
  /** All unfinished jobs with one of these scopes, oldest first. */
  unfinished(scopes: readonly Scope['kind'][]): Promise<readonly Job[]>;
  /** Null: it is finished. */
  find(id: number): Promise<Job | null>;
}
