import type { Knex } from 'knex';
import type { Snapshot } from '../../domain/model/snapshot.js';

/** A row with the generation that its organization has in the same snapshot of the database. */
export interface DatedRow {
  readonly generation: string;
}

/** Likewise; without any content, there is one such row with the generation alone. */
export type Dated<Row> = DatedRow & (Row | { readonly id: null });

/** Where content is read from. */
export interface ContentDatabase {
  /** What is found by `ask`, one row at least and all of one snapshot: of `snapshot.since` or later, if any server has that. */
  rows<Row extends DatedRow>(
    ask: (database: Knex) => PromiseLike<readonly Row[]>,
    snapshot: Snapshot,
  ): Promise<readonly Row[]>;
}

/** The one server that takes writes. Its address may lead to a standby all the same, which lacks the last of them. */
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
  if (first === undefined) throw new Error('A statement that reads content found not even its generation');
  return Number(first.generation);
}

export function isThere<Row extends { readonly id: string | null }>(
  row: Row,
): row is Extract<Row, { readonly id: string }> {
  return row.id !== null;
}
