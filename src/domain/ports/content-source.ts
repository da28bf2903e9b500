import type { RowKind, WebsiteOwner } from '../model/read-model.js';
import type { SourceReading } from '../model/source.js';
import type { WalkedScope } from '../model/sync-work.js';

/** The dashboard's database, read only. */
export interface ContentSource {
  count(kind: RowKind): Promise<number>;
  /** Of each of these websites, gone or not. */
  owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]>;
  /**
   * Up to `limit` keys in a scope that follow `after`, in the source's own order; from the first one on when it is null. Fewer where they are
   * too large together, and none only where none follow.
   */
  keys(kind: RowKind, scope: WalkedScope, after: string | null, limit: number): Promise<readonly string[]>;
  /** Those of `ids` that the source has. In any order. */
  existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * The rows of these keys as one snapshot shows them: of the first ones only, if all together are too large to hold. What is too large by
   * itself (see the row limits) is refused unread, and so is what cannot be read.
   */
  read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>>;
  /** As `read`, but in place of its content each blog has the MD5 of that in hexadecimal, of its UTF-8: for `differing` of a read model. */
  readDigested(ids: readonly string[]): Promise<SourceReading<'blogs'>>;
}
