import type { CapturedTable, DashboardMapping } from '../../mapping/dashboard-mapping.js';
import { name } from '../read/quoted.js';
import { overChangedRow } from './changed-row.js';

/** What the rows of each captured table touch. */
export type Captures = Readonly<Record<string, CapturedTable['touches']>>;

/** A foreign key between two tables of the dashboard's database. */
export interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  /** Columns of the child, in the order of the parent's columns that they refer to. */
  readonly columns: readonly string[];
  readonly referenced: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

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

export function capturesOf({ captures }: DashboardMapping): Captures {
  return Object.fromEntries(captures.map(({ table, touches }) => [table, touches]));
}
