import type { CapturedTable } from '../mapping/dashboard-mapping.js';
import type { ForeignKey } from './cascades.js';
import { overChangedRow } from './changed-row.js';
import { name } from './quoted.js';

/** Of each captured table, what its rows touch. */
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

/** What the triggers are made from: the mapping's captures, and the tables as they are. */
export interface CapturedTables {
  readonly captures: Captures;
  /** Of every table of the database. */
  readonly columns: Readonly<Record<string, readonly TableColumn[]>>;
  readonly foreignKeys: readonly ForeignKey[];
  /** The one to be taken first. */
  readonly indexes: readonly TableIndex[];
}

export function columnNames(table: string, { columns }: CapturedTables): readonly string[] {
  return columns[table]?.map(({ column }) => column) ?? [];
}

/** A key of the mapping as an expression over a row of a trigger or of a statement. */
export function keyOver(key: string, table: string, row: string, tables: CapturedTables): string {
  return overChangedRow(key, columnNames(table, tables), (column) => `${row}.${name(column)}`);
}
