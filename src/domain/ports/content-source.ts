import type { WalkedScope } from '../model/job.js';
import type { RowKind, WebsiteOwner } from '../model/read-model.js';
import type { SourceReading } from '../model/source.js';

/** The dashboard's database, read only. */
export interface ContentSource {
  count(kind: RowKind): Promise<number>;
  /** One for each of these websites, including deleted ones. */
  owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]>;
  /**
   * Up to `limit` keys of a scope that follow `after` in the source's own order. If `after` is null, from the first key on. Fewer if they
   * are too large together. None only if no keys follow.
   */
  keys(kind: RowKind, scope: WalkedScope, after: string | null, limit: number): Promise<readonly string[]>;
  /** The subset of `ids` that the source has, in any order. */
  existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * The rows of these keys in one snapshot. If all are too large to hold together, only those of the first keys. A row that exceeds the row
   * limits by itself is refused without being read, and so is a row that cannot be read.
   */
  read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>>;
  /**
   * As `read`, but each blog has an MD5 digest in hexadecimal of its UTF-8 content in place of the content, for `differing` of a read
   * model.
   */
  readDigested(ids: readonly string[]): Promise<SourceReading<'blogs'>>;
}
