import type { Scope } from '../../model/job.js';
import type { DueRow, ReadModelChange, ReadModelUpdate, RowKind } from '../../model/read-model.js';

/** The only way to write the read model, for the leader. */
export interface ReadModelWriter {
  /**
   * Makes the read model hold exactly these rows for their ids, and raises the generation of each
   * organization in which anything changed, in one transaction. Throws `LeadershipLost` and changes
   * nothing if `epoch` is over. Throws `RowRefused` for a row that the storage cannot hold. A job
   * is not added if an unstarted or failing one covers it: a failing one begins again, at once.
   */
  write(epoch: number, update: ReadModelUpdate): Promise<ReadModelChange>;
  /** Websites that have hidden rows, see `owners` of an update. */
  hiddenWebsites(): Promise<readonly string[]>;
  /** Up to `limit` organizations that ever had content or keys, after `after` by code point. */
  nextOrganizations(after: string | null, limit: number): Promise<readonly string[]>;
  /**
   * Up to `limit` keys after `after` by code point: of rows that show something of these
   * categories, tags or websites, or of all rows, with those of unshown ones. Fewer if they are too
   * large together; none only if none follow.
   */
  keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]>;
  /** Any row that is shown and not unshown, in no order; null: there is no other one. */
  anotherRow(kind: RowKind, id: string): Promise<string | null>;
  /** The unshown rows among these. */
  unshown(kind: RowKind, ids: readonly string[]): Promise<readonly string[]>;
  countUnshown(kind: RowKind): Promise<number>;
  /** Up to `limit` unshown rows whose wait is over, first those whose wait ended first. */
  dueRows(limit: number): Promise<readonly DueRow[]>;
}
