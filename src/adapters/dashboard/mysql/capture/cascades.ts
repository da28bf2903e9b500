import { isSelect } from '../../mapping/dashboard-mapping.js';
import { name } from '../read/quoted.js';
import {
  type CapturedTables,
  columnNames,
  type ForeignKey,
  keyOver,
  NOTING_EVERYTHING,
  noting,
} from './captured-tables.js';
import { overChangedRow } from './changed-row.js';

/** A path from the table whose row is deleted or updated to a table whose rows change with it. */
interface CascadePath {
  readonly keys: readonly [ForeignKey, ...ForeignKey[]];
  /** The path reaches a foreign key again, and how often it would cannot be known. */
  readonly isEndless: boolean;
}

type Cause = 'delete' | 'update';

const CHANGES_ROWS = ['CASCADE', 'SET NULL', 'SET DEFAULT'];

/** The paths on which foreign keys change rows of other tables, without firing their triggers. */
export function cascadePaths(
  foreignKeys: readonly ForeignKey[],
  table: string,
  cause: Cause,
): readonly CascadePath[] {
  const begun = foreignKeys.filter(
    (key) => key.parent === table && CHANGES_ROWS.includes(ruleOf(key, cause)),
  );
  return begun.flatMap((key) => extended([key], key, cause, foreignKeys));
}

/** The columns of a table whose change starts such a path. */
export function referencedColumns(paths: readonly CascadePath[]): readonly string[] {
  return [...new Set(paths.flatMap(({ keys: [first] }) => first.referenced))];
}

function extended(
  keys: CascadePath['keys'],
  last: ForeignKey,
  cause: Cause,
  foreignKeys: readonly ForeignKey[],
): readonly CascadePath[] {
  // `set null` is an update, whatever the cause was.
  const next: Cause = cause === 'delete' && last.onDelete === 'CASCADE' ? 'delete' : 'update';
  const following = foreignKeys.filter(
    (key) =>
      key.parent === last.child &&
      CHANGES_ROWS.includes(ruleOf(key, next)) &&
      (next === 'delete' || key.referenced.some((column) => last.columns.includes(column))),
  );
  return [
    { keys, isEndless: false },
    ...following.flatMap((key): readonly CascadePath[] =>
      keys.includes(key)
        ? [{ keys: [...keys, key], isEndless: true }]
        : extended([...keys, key], key, next, foreignKeys),
    ),
  ];
}

function ruleOf({ onDelete, onUpdate }: ForeignKey, cause: Cause): string {
  return cause === 'delete' ? onDelete : onUpdate;
}

/**
 * Statements that note the rows that foreign keys will change. They read with a shared lock, so
 * that no committed row is missed, by the index of the foreign key, so that they lock what the
 * cascade locks and in its order.
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
      const keyOfChild = keyOver(key, table, alias, tables);
      return [`select count(${noting(kind, keyOfChild)}) into noted ${rows} lock in share mode`];
    });
  });
}

/** Whether the key is only the foreign key, and the parent row has the same key. */
function isNotedByParent({ keys }: CascadePath, kind: string, key: string, tables: CapturedTables): boolean {
  const { child, parent, columns, referenced } = keys.at(-1) as ForeignKey;
  const ofParent = tables.captures[parent] ?? {};
  if (ofParent === 'everything') return false;
  const keyOfParent = Object.entries(ofParent).find(([name]) => name === kind)?.[1];
  if (keyOfParent === undefined || isSelect(keyOfParent)) return false;
  const read = overChangedRow(key, columnNames(child, tables), (column) => {
    const index = columns.indexOf(column);
    return index === -1 ? `${child}.${column}` : `parent.${referenced[index]}`;
  });
  return read === overChangedRow(keyOfParent, columnNames(parent, tables), (column) => `parent.${column}`);
}

function rowsOn({ keys }: CascadePath, row: string, tables: CapturedTables): string {
  const joined = keys.map((key, index) => {
    const [alias, before] = [`row_${index + 1}`, index === 0 ? row : `row_${index}`];
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
    (foreignKey) =>
      foreignKey.table === child && columns.every((column, index) => foreignKey.columns[index] === column),
  );
  return index === undefined ? '' : forcing(index.name);
}

export function forcing(index: string): string {
  return ` force index (${name(index)})`;
}
