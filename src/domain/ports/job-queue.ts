import type { Job, Scope } from '../model/job.js';

/** Work that takes more than one step. The read-model writer adds the jobs of a step in the same transaction as its rows. */
export interface JobQueue {
  /**
   * The oldest unfinished job in the first lane, a list of scopes, that is not waiting for a retry. If there is none, that of the next
   * lane. Null: no lane has one.
   */
  next(...lanes: readonly (readonly Scope['of'][])[]): Promise<Job | null>;
  /** Requests a rebuild, or continues an unfinished one. Returns the id of the job. Every process may call this. */
  requestEverything(): Promise<number>;
  /** The number of unfinished jobs of this scope. */
  count(of: Scope['of']): Promise<number>;
  /** All unfinished jobs with one of these scopes, oldest first. */
  unfinished(scopes: readonly Scope['of'][]): Promise<readonly Job[]>;
  /** Null: it is finished. */
  find(id: number): Promise<Job | null>;
}
