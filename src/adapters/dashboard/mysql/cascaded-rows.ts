import { isSelect } from '../mapping/dashboard-mapping.js';
import { type CapturedTables, columnNames, keyOver } from './captured-tables.js';
import type { CascadePath, ForeignKey } from './cascades.js';
import { overChangedRow } from './changed-row.js';
import { NOTING_EVERYTHING, noting } from './note-function.js';
import { name } from './quoted.js';

/**
 * Statements that note what foreign keys will change with a row. It is read as it is now, by a lock, and not as a snapshot has it: nothing that
 * another transaction has committed is passed over. By a shared one: of a table that the statement writes, its triggers may read no rows for an
 * update. And by the index of the foreign key, as the cascade itself does: so it locks what the cascade locks, in its order, and no more. Left to
 * itself, the server reads the whole table now and then, and deadlocks with whoever writes to it.
 */
export function noteCascaded(
  paths: readonly CascadePath[],
  row: 'NEW' | 'OLD',
  tables: CapturedTables,
): readonly string[] {
  return paths.flatMap((path) => {
    const table = path.keys.at(-1)?.child ?? '';
    const capture = tables.captures[table] ?? {};
    const rows = rowsOn(path, row, tables);
    const anything = `if exists (select 1 ${rows} limit 1 lock in share mode) then set noted = ${NOTING_EVERYTHING}; end if`;
    if (path.isEndless || capture === 'everything') return [anything];
    const alias = `row_${path.keys.length}`;
    return Object.entries(capture).flatMap(([kind, key]) => {
      if (isSelect(key)) return [anything];
      if (isNotedByParent(path, kind, key, tables)) return [];
      const found = keyOver(key, table, alias, tables);
      return [`select count(${noting(kind, found)}) into noted ${rows} lock in share mode`];
    });
  });
}

/** Where a row is known by nothing but its foreign key, and that is what the row that it refers to is known by: a link of a blog, say. */
function isNotedByParent({ keys }: CascadePath, kind: string, key: string, tables: CapturedTables): boolean {
  const { child, parent, columns, referenced } = keys.at(-1) as ForeignKey;
  const ofParent = tables.captures[parent] ?? {};
  if (ofParent === 'everything') return false;
  const own = Object.entries(ofParent).find(([each]) => each === kind)?.[1];
  if (own === undefined || isSelect(own)) return false;
  const read = overChangedRow(key, columnNames(child, tables), (column) => {
    const at = columns.indexOf(column);
    return at === -1 ? `${child}.${column}` : `parent.${referenced[at]}`;
  });
  return read === overChangedRow(own, columnNames(parent, tables), (column) => `parent.${column}`);
}

function rowsOn({ keys }: CascadePath, row: string, tables: CapturedTables): string {
  const joined = keys.map((key, at) => {
    const [alias, before] = [`row_${at + 1}`, at === 0 ? row : `row_${at}`];
    const isChild = key.columns.map(
      (column, nth) => `${alias}.${name(column)} = ${before}.${name(key.referenced[nth] ?? '')}`,
    );
    return {
      table: `${name(key.child)} as ${alias}${byIndexOf(key, tables)}`,
      condition: isChild.join(' and '),
    };
  });
  const from = joined.map(({ table }) => table).join(' straight_join ');
  return `from ${from} where ${joined.map(({ condition }) => condition).join(' and ')}`;
}

function byIndexOf({ child, columns }: ForeignKey, { indexes }: CapturedTables): string {
  const index = indexes.find(
    (each) => each.table === child && columns.every((column, at) => each.columns[at] === column),
  );
  return index === undefined ? '' : forcing(index.name);
}

export function forcing(index: string): string {
  return ` force index (${name(index)})`;
}
