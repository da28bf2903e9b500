import type { Scope } from '../../model/job.js';
import type { RowKind, WebsiteOwner } from '../../model/read-model.js';
import type { SourceReading } from '../../model/source.js';

/** The dashboard's database, read only. */
export interface ContentSource {
  count(kind: RowKind): Promise<number>;
  /** One for each of these websites, including deleted ones. */
  owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]>;
  /** Up to `limit` keys after `after`, or from the first on; none only if no keys follow. */
  keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]>;
  /** The subset of `ids` that `keys` of the scope would return, in any order. */
  existing(kind: RowKind, scope: Scope, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Rows in one snapshot, of the first keys if all are too large together. A row that is too large
   * by itself is refused. Throws `RowRefused` if the server cannot read one of the rows.
   */
  read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>>;
}
