import type { LeadingWriter } from '../../../src/contracts/support/leading-writer.js';
import type { RowKind, RowTypes } from '../../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../../src/domain/model/source.js';
import { projections } from '../../../src/domain/sync/projection.js';

/** What an API under test shows, and how a test changes it. */
export interface Content {
  put<Kind extends RowKind>(kind: Kind, rows: readonly RowTypes[Kind][]): Promise<void>;
  /** A row of the dashboard, whatever it shows of it. */
  bringOver<Kind extends RowKind>(kind: Kind, source: SourceTypes[Kind]): Promise<void>;
  remove(kind: RowKind, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** As the sync job does it: the rows are written and the generation of their organizations raised. */
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
