import { createHash } from 'node:crypto';
import type { DashboardMapping } from '../../mapping/dashboard-mapping.js';
import { readColumns } from '../../mapping/read-columns.js';
import { quotedTable, type TableName, tableName } from '../read/table-name.js';
import { captureFunctionOf } from './capture-function.js';
import type { GeneratedFunction } from './generated-function.js';
import { lookupFunctionOf } from './lookup-function.js';

/** The columns of each table, by its quoted name. */
export type TableColumns = ReadonlyMap<string, readonly string[]>;
export const UNKNOWN_COLUMNS: TableColumns = new Map();

/** The parts of the change capture of a mapping. */
export interface CapturedMapping {
  /** Functions that find keys come before the triggers that note look-ups. Their names depend on the mapping alone. */
  functions(columns: TableColumns): readonly GeneratedFunction[];
  readonly tables: readonly TableName[];
  /** The columns of a table that the mapping may read; null: any of them. */
  readonly columnsOf: (table: TableName) => readonly string[] | null;
  /** Changes with the mapping. */
  readonly digest: string;
}

export function capturedMapping(mapping: DashboardMapping): CapturedMapping {
  const tables = mapping.captures.map(({ table }) => tableName(table));
  const words = wordsIn(mapping);
  return {
    functions: (columns) => [
      ...mapping.captures.flatMap((captured) => lookupFunctionOf(captured) ?? []),
      ...mapping.captures.flatMap((captured) => {
        const present = columns.get(quotedTable(tableName(captured.table))) ?? [];
        return captureFunctionOf(captured, readColumns(mapping, captured, present)) ?? [];
      }),
    ],
    tables,
    // A table that no select names is read indirectly, for example through a view, so its columns are unknown. The columns of `*` are
    // unknown too.
    columnsOf: ({ name }) => (words.has('*') || !words.has(name) ? null : [...words]),
    digest: createHash('sha256').update(JSON.stringify(mapping)).digest('hex').slice(0, 16),
  };
}

export function installedComment(digest: string): string {
  return `blog-read-api: the change capture of the mapping ${digest}`;
}

/** The words in the SQL of a mapping that may be names of columns or tables. */
function wordsIn({ selects, captures }: DashboardMapping): ReadonlySet<string> {
  const keys = captures.flatMap(({ touches }) => (touches === 'everything' ? [] : Object.values(touches)));
  const sql = [...Object.values(selects), ...keys].filter((text) => text !== null).join(' ');
  const plain = sql.match(/[\p{L}_][\p{L}\p{N}_$]*|\*/gu) ?? [];
  const named = [...sql.matchAll(/"((?:[^"]|"")+)"/g)].map(([, name = '']) => name.replaceAll('""', '"'));
  return new Set([...plain.map((word) => word.toLowerCase()), ...named]);
}
