import type { Knex } from 'knex';
import type { Snapshot } from '../../../domain/model/snapshot.js';

/** A row with its organization's generation from the same snapshot of the database. */
export interface DatedRow {
  readonly generation: string;
}

/** Without any content, there is one row with only the generation. */
export type Dated<Row> = DatedRow & (Row | { readonly id: null });

/** The servers from which content is read. */
export interface ContentDatabase {
  /**
   * At least one row, all from one snapshot, at `snapshot.since` or later if any server has that.
   */
  rows<Row extends DatedRow>(
    ask: (database: Knex) => PromiseLike<readonly Row[]>,
    snapshot: Snapshot,
  ): Promise<readonly Row[]>;
}

/** Its address may lead to a standby, which lacks the last writes. */
export class PrimaryContent implements ContentDatabase {
  constructor(private readonly database: Knex) {}

  async rows<Row extends DatedRow>(
    ask: (database: Knex) => PromiseLike<readonly Row[]>,
    snapshot: Snapshot,
  ): Promise<readonly Row[]> {
    const rows = await ask(this.database);
    snapshot.shows(generationOf(rows));
    return rows;
  }
}

export function generationOf([first]: readonly DatedRow[]): number {
  if (first === undefined) throw new Error('A statement that reads content returned no generation');
  return Number(first.generation);
}

export function isFound<Row extends { readonly id: string | null }>(
  row: Row,
): row is Extract<Row, { readonly id: string }> {
  return row.id !== null;
}
