import type {
  RaisedGeneration,
  ReadModelChange,
  ReadModelSlice,
  ReadModelUpdate,
  RowKind,
} from '../model/read-model.js';

/** The only way to write the read model, for the leader. */
export interface ReadModelWriter {
  /**
   * Makes the read model hold exactly the rows of these slices for their ids, in one transaction. The same transaction raises the
   * generation of each organization in which anything changed. Throws `LeadershipLost` and changes nothing if `epoch` is over. Throws
   * `RowRefused` if the storage cannot hold one of the rows.
   *
   * A job is not added if an unstarted job already covers it.
   */
  write(epoch: number, update: ReadModelUpdate): Promise<ReadModelChange>;
  /**
   * The subset of these ids that a write would change, or that are quarantined. The rows have digests of their contents, see
   * `readDigested`.
   */
  differing(slice: ReadModelSlice<'blogs'>): Promise<readonly string[]>;
  /** Websites that have hidden rows, see `owners` of an update. */
  hiddenWebsites(): Promise<readonly string[]>;
  /** Up to `limit` organizations with their generations, highest first, that follow `before`. If `before` is null, from the highest on. */
  raisedBefore(before: RaisedGeneration | null, limit: number): Promise<readonly RaisedGeneration[]>;
  /**
   * Up to `limit` organizations that follow `after` by code point, of all that ever had any content or keys. If `after` is null, from the
   * first on. Fewer, but at least one, if they have more than `maxBlogs` together. None only if no organizations follow.
   */
  nextOrganizations(after: string | null, limit: number, maxBlogs: number): Promise<readonly string[]>;
  /**
   * Up to `limit` keys that follow `after` by code point, including those of quarantined rows. If `after` is null, from the first on. Fewer
   * if they are too large together. None only if no keys follow.
   */
  keys(kind: RowKind, after: string | null, limit: number): Promise<readonly string[]>;
}
