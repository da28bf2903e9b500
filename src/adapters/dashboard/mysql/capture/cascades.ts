import { type Captures, isSelect, keysOf } from '../../mapping/dashboard-mapping.js';
import { quoted } from '../read/quoted.js';
import type { CaptureFacts, ForeignKey } from './capture-facts.js';
import { overChangedRow } from './changed-row.js';
import { NOTE_EVERYTHING, noting } from './note-function.js';

/** A change of a row that may change rows of other tables through foreign keys. */
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
export function noteCascaded(table: string, captures: Captures, facts: CaptureFacts): readonly string[] {
  const deletion: Cause = { table, isDeleted: true, columns: null };
  return keysFrom(deletion, facts).flatMap((key) => {
    const capture = captures[key.child] ?? {};
    const rows = rowsOf(key, facts);
    const keys = keysOf(capture);
    const isUnknown = capture === 'everything' || keys.some(([, of]) => isSelect(of));
    const effect = effectOf(key, deletion);
    if (isUnknown || keysFrom(effect, facts).some((next) => leadsToCaptured(next, effect, captures, facts)))
      return [`if exists (select 1 ${rows} limit 1 lock in share mode) then ${NOTE_EVERYTHING} end if;`];
    const names = facts.columns.filter((column) => column.table === key.child).map(({ column }) => column);
    return keys.map(([kind, of]) => {
      const ofRow = overChangedRow(of, names, (column) => `cascaded.${quoted(column)}`);
      return `select count(${noting(kind, ofRow)}) into noted ${rows} lock in share mode;`;
    });
  });
}

/** The columns of a table whose update changes captured rows of other tables. */
export function cascadingColumns(table: string, captures: Captures, facts: CaptureFacts): readonly string[] {
  const update: Cause = { table, isDeleted: false, columns: null };
  const keys = keysFrom(update, facts).filter((key) => leadsToCaptured(key, update, captures, facts));
  return [...new Set(keys.flatMap(({ referenced }) => referenced))];
}

function keysFrom({ table, isDeleted, columns }: Cause, { foreignKeys }: CaptureFacts) {
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
  captures: Captures,
  facts: CaptureFacts,
  passed: readonly ForeignKey[] = [],
): boolean {
  if (Object.keys(captures[key.child] ?? {}).length > 0) return true;
  const effect = effectOf(key, cause);
  return keysFrom(effect, facts).some(
    (next) => !passed.includes(next) && leadsToCaptured(next, effect, captures, facts, [...passed, key]),
  );
}

function rowsOf({ child, columns, referenced }: ForeignKey, { indexes, triggers }: CaptureFacts): string {
  const forced = indexes
    .filter(
      ({ table, columns: indexed }) =>
        table === child && columns.every((column, nth) => indexed[nth] === column),
    )
    .map(({ name }) => ` force index (${quoted(name)})`);
  // An index that was added later requires no other triggers.
  const index = forced.find((hint) => triggers.some(({ body }) => body.includes(hint))) ?? forced[0] ?? '';
  const condition = columns.map(
    (column, nth) => `cascaded.${quoted(column)} = OLD.${quoted(referenced[nth] ?? '')}`,
  );
  return `from ${quoted(child)} as cascaded${index} where ${condition.join(' and ')}`;
}
