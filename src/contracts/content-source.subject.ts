import type { RowKind } from '../domain/model/read-model.js';
import type { SourceTypes } from '../domain/model/source.js';
import type { ContentSource } from '../domain/ports/content-source.js';

export interface ContentSourceSubject {
  readonly subject: ContentSource;
  /**
   * Makes the source have this row, in place of the one that had its id. A parent, and the terms of a blog, have been put
   * before as categories and tags.
   */
  put<Kind extends RowKind>(kind: Kind, row: SourceTypes[Kind]): Promise<void>;
  remove(kind: RowKind, id: string): Promise<void>;
  /** Of a source that cannot hold every time: which ones it can. */
  holdsTime?(millis: number): boolean;
}
