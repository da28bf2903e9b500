import type { LeadingWriter } from '../../../src/contracts/support/leading-writer.js';
import type { RowKind, RowTypes } from '../../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../../src/domain/model/source.js';
import { projections } from '../../../src/domain/policies/projection.js';

/** The content of an API under test, and how a test changes it. */
export interface Content {
  put<Kind extends RowKind>(kind: Kind, rows: readonly RowTypes[Kind][]): Promise<void>;
  /** Puts a row into the dashboard, whether or not it is shown. */
  bringOver<Kind extends RowKind>(kind: Kind, source: SourceTypes[Kind]): Promise<void>;
  remove(kind: RowKind, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Writes as the sync job does: writes the rows and raises the generation of their organizations. */
export class ContentOfReadModel implements Content {
  constructor(
    private readonly writer: LeadingWriter,
    readonly close: () => Promise<void>,
  ) {}

  async put<Kind extends RowKind>(kind: Kind, rows: readonly RowTypes[Kind][]): Promise<void> {
    await this.writer.replace({ kind, ids: rows.map(({ id }) => id), rows });
  }

  async bringOver<Kind extends RowKind>(kind: Kind, source: SourceTypes[Kind]): Promise<void> {
    const row = projections[kind](source);
    if (row === null) await this.remove(kind, [source.id]);
    else await this.put(kind, [row]);
  }

  async remove(kind: RowKind, ids: readonly string[]): Promise<void> {
    await this.writer.replace({ kind, ids, rows: [] });
  }
}
