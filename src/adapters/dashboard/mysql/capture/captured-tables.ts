import type { CapturedTable } from '../../mapping/dashboard-mapping.js';
import { name } from '../read/quoted.js';
import type { ForeignKey } from './cascades.js';
import { overChangedRow } from './changed-row.js';

/** What the rows of each captured table touch. */
export type Captures = Readonly<Record<string, CapturedTable['touches']>>;

export interface TableIndex {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly string[];
}

export interface TableColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** The input for the triggers: the captures of the mapping, and the tables as they are. */
export interface CapturedTables {
  readonly captures: Captures;
  /** The columns of a table that the mapping may read. Null: any of them. */
  readonly readColumns: (table: string) => readonly string[] | null;
  /** Of every table in the database. */
  readonly columns: Readonly<Record<string, readonly TableColumn[]>>;
  readonly foreignKeys: readonly ForeignKey[];
  /** The preferred index comes first. */
  readonly indexes: readonly TableIndex[];
}

export function columnNames(table: string, { columns }: CapturedTables): readonly string[] {
  return columns[table]?.map(({ column }) => column) ?? [];
}

/** A key of the mapping as an expression over a row in a trigger or in a statement. */
export function keyOver(key: string, table: string, row: string, tables: CapturedTables): string {
  return overChangedRow(key, columnNames(table, tables), (column) => `${row}.${name(column)}`);
}
