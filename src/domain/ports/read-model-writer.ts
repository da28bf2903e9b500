import type { RaisedGeneration } from '../model/raised-generation.js';
import type { ReadModelChange, ReadModelSlice, ReadModelUpdate, RowKind } from '../model/read-model.js';

/** The only way into the read model, for the one worker that leads. */
export interface ReadModelWriter {
  /**
   * Makes the read model hold the rows of these slices, and none other for their ids, in one transaction that also raises the generation
   * of each organization in which that changed anything. Throws `LeadershipLost`, and changes nothing, if `epoch` is over;
   * `RowRefused` if the storage cannot hold one of the rows.
   *
   * Work that is added is left out as far as an item that has not begun covers it.
   */
  write(epoch: number, update: ReadModelUpdate): Promise<ReadModelChange>;
  /** Of these ids those that a write would change, or that are quarantined. The rows have digests of their contents: see `readDigested`. */
  differing(slice: ReadModelSlice<'blogs'>): Promise<readonly string[]>;
  /** Websites of which something is hidden: see `owners` of an update. */
  hiddenWebsites(): Promise<readonly string[]>;
  /**
   * Up to `limit` organizations with their generations, the highest first, from the one on that follows `before`; from the highest on when
   * that is null.
   */
  raisedBefore(before: RaisedGeneration | null, limit: number): Promise<readonly RaisedGeneration[]>;
  /**
   * Up to `limit` organizations that follow `after` by code point, of all that ever had anything; from the first one on when it is null.
   * Fewer where they have more than `mostBlogs` together, but one, and none only where none follow.
   */
  nextOrganizations(after: string | null, limit: number, mostBlogs: number): Promise<readonly string[]>;
  /**
   * Up to `limit` keys, those of rows quarantined too, that follow `after` by code point; from the first one on when it is null. Fewer where
   * they are too large together, and none only where none follow.
   */
  keys(kind: RowKind, after: string | null, limit: number): Promise<readonly string[]>;
}
