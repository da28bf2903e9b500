import type { RowKind } from '../../domain/model/read-model.js';
import type { SourceTypes } from '../../domain/model/source.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';

export interface ContentSourceSubject {
  readonly subject: ContentSource;
  /** Stores this row in place of the one with its id. Its parent or terms are there already. */
  put<Kind extends RowKind>(kind: Kind, row: SourceTypes[Kind]): Promise<void>;
  remove(kind: RowKind, id: string): Promise<void>;
  /** For a source that cannot store every time: whether it can store this one. */
  holdsTime?(millis: number): boolean;
}
