import { isSelect } from '../../mapping/dashboard-mapping.js';
import { name } from '../read/quoted.js';
import {
  type CapturedTables,
  type ForeignKey,
  keyOver,
  NOTING_EVERYTHING,
  noting,
} from './captured-tables.js';

/** A change of a row, with which foreign keys may change rows of other tables. */
interface Cause {
  readonly table: string;
  readonly isDeleted: boolean;
  /** Null: all of them. */
  readonly columns: readonly string[] | null;
}

const CHANGES_ROWS = ['CASCADE', 'SET NULL', 'SET DEFAULT'];

/**
 * Statements that note the rows that change with a deleted row, without firing their triggers.
 * They read with a shared lock, so that no committed row is missed, by the index of the foreign
 * key, so that they lock what the cascade locks and in its order. If it goes on from there to
 * captured rows, everything is read again.
 */
export function noteCascaded(table: string, tables: CapturedTables): readonly string[] {
  const deletion: Cause = { table, isDeleted: true, columns: null };
  return keysFrom(deletion, tables).flatMap((key) => {
    const capture = tables.captures[key.child] ?? {};
    const rows = rowsOf(key, tables);
    const keys = capture === 'everything' ? [] : Object.entries(capture);
    const isUnknown = capture === 'everything' || keys.some(([, of]) => isSelect(of));
    const effect = effectOf(key, deletion);
    if (isUnknown || keysFrom(effect, tables).some((next) => leadsToCaptured(next, effect, tables))) {
      return [
        `if exists (select 1 ${rows} limit 1 lock in share mode) then set noted = ${NOTING_EVERYTHING}; end if`,
      ];
    }
    return keys.map(
      ([kind, of]) =>
        `select count(${noting(kind, keyOver(of, key.child, 'cascaded', tables))}) into noted ${rows} lock in share mode`,
    );
  });
}

/** The columns of a table whose update changes captured rows of other tables. */
export function cascadingColumns(table: string, tables: CapturedTables): readonly string[] {
  const update: Cause = { table, isDeleted: false, columns: null };
  const keys = keysFrom(update, tables).filter((key) => leadsToCaptured(key, update, tables));
  return [...new Set(keys.flatMap(({ referenced }) => referenced))];
}

function keysFrom({ table, isDeleted, columns }: Cause, { foreignKeys }: CapturedTables) {
  return foreignKeys.filter(
    ({ parent, onDelete, onUpdate, referenced }) =>
      parent === table &&
      CHANGES_ROWS.includes(isDeleted ? onDelete : onUpdate) &&
      (columns === null || referenced.some((column) => columns.includes(column))),
  );
}

/** What happens to the rows of the child. `set null` is an update, whatever the cause was. */
function effectOf({ child, columns, onDelete }: ForeignKey, { isDeleted }: Cause): Cause {
  const isDeletedToo = isDeleted && onDelete === 'CASCADE';
  return { table: child, isDeleted: isDeletedToo, columns: isDeletedToo ? null : columns };
}

/** `passed`: the foreign keys on the way to this one. */
function leadsToCaptured(
  key: ForeignKey,
  cause: Cause,
  tables: CapturedTables,
  passed: readonly ForeignKey[] = [],
): boolean {
  if (Object.keys(tables.captures[key.child] ?? {}).length > 0) return true;
  const effect = effectOf(key, cause);
  return keysFrom(effect, tables).some(
    (next) => !passed.includes(next) && leadsToCaptured(next, effect, tables, [...passed, key]),
  );
}

function rowsOf(key: ForeignKey, { indexes }: CapturedTables): string {
  const { child, columns, referenced } = key;
  const index = indexes.find(
    ({ table, columns: indexed }) =>
      table === child && columns.every((column, nth) => indexed[nth] === column),
  );
  const condition = columns.map(
    (column, nth) => `cascaded.${name(column)} = OLD.${name(referenced[nth] ?? '')}`,
  );
  return `from ${name(child)} as cascaded${index === undefined ? '' : forcing(index.name)} where ${condition.join(' and ')}`;
}

export function forcing(index: string): string {
  return ` force index (${name(index)})`;
}
