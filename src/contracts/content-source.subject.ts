import type { RowKind } from '../domain/model/read-model.js';
import type { SourceTypes } from '../domain/model/source.js';
import type { ContentSource } from '../domain/ports/content-source.js';

export interface ContentSourceSubject {
  readonly subject: ContentSource;
  /**
   * Stores this row in the source. It replaces the one with its id. A parent, and the terms of a blog, must be stored before as categories
   * and tags.
   */
  put<Kind extends RowKind>(kind: Kind, row: SourceTypes[Kind]): Promise<void>;
  remove(kind: RowKind, id: string): Promise<void>;
  /** For a source that cannot store every time: whether it can store this one. */
  holdsTime?(millis: number): boolean;
}
