import type { Job, Scope } from '../model/sync-work.js';

/** Work that takes more than one step. What a step adds, it adds together with its rows, by the read-model writer. */
export interface JobQueue {
  /**
   * The oldest unfinished item that has one of the scopes of the first lane and does not wait for its next try; where there is none, that of
   * the next lane; null: no lane has one.
   */
  next(...lanes: readonly (readonly Scope['of'][])[]): Promise<Job | null>;
  /** Has everything read anew, or goes on with what is unfinished of that; answers the item. Anybody may ask. */
  requestEverything(): Promise<number>;
  /** How many items of this scope are unfinished. */
  count(of: Scope['of']): Promise<number>;
  /** All unfinished items that have one of these scopes, oldest first. */
  unfinished(scopes: readonly Scope['of'][]): Promise<readonly Job[]>;
  /** Null: it is finished. */
  find(id: number): Promise<Job | null>;
}
