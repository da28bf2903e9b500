import {
  capturesOf,
  type DashboardMapping,
  isSelect,
  keysOf,
  shortHash,
} from '../../mapping/dashboard-mapping.js';
import { sqlTemplate } from '../../source/sql-template.js';
import { quoted } from '../read/quoted.js';
import type { CaptureFacts, ExistingTrigger } from './capture-facts.js';
import { cascadingColumns, noteCascaded } from './cascades.js';
import { columnsIn, overChangedRow } from './changed-row.js';
import { NOTE_EVERYTHING, noting, PREFIX } from './note-function.js';
import { notedLookup } from './noted-look-up.js';

export interface CaptureTrigger {
  /** Derived from everything else: a changed trigger has a different name. */
  readonly name: string;
  readonly table: string;
  readonly moment: string;
  readonly body: string;
  /** Creates the trigger. */
  readonly statement: string;
}

/**
 * A key that fails must not fail a write of the dashboard. A write that cannot be noted has to,
 * except in a copy of the database, which may lack the queue or the right to use it.
 */
const NOTE_CHANGES = sqlTemplate<'name' | 'moment' | 'table' | 'statements'>(
  'mysql/triggers/note-changes.sql',
);

/** All triggers that the present tables need, in a fixed order. */
export function captureTriggers(mapping: DashboardMapping, facts: CaptureFacts): readonly CaptureTrigger[] {
  const tables = [...new Set(facts.columns.map(({ table }) => table))].toSorted();
  return tables.flatMap((table) => triggersOn(table, mapping, facts));
}

/** Whether a trigger of the database is the one that is wanted. */
export function isSame(wanted: CaptureTrigger, existing: ExistingTrigger): boolean {
  const { name, table, body } = wanted;
  return name === existing.name && table === existing.table && body === existing.body;
}

function triggersOn(
  table: string,
  mapping: DashboardMapping,
  facts: CaptureFacts,
): readonly CaptureTrigger[] {
  const captures = capturesOf(mapping);
  const touches = captures[table] ?? {};
  const keys = keysOf(touches);
  const columns = facts.columns.filter((column) => column.table === table);
  const names = columns.map(({ column }) => column);
  const over = (key: string, row: string) =>
    overChangedRow(key, names, (column) => `${row}.${quoted(column)}`);
  const note = (kind: string, key: string, row: 'NEW' | 'OLD') =>
    `set noted = ${isSelect(key) ? notedLookup(kind, key, row, columns) : noting(kind, over(key, row))};`;
  const noteKeys = (row: 'NEW' | 'OLD') =>
    touches === 'everything' ? [NOTE_EVERYTHING] : keys.map(([kind, key]) => note(kind, key, row));
  /** An update that changes the keys of a row also notes the former keys. */
  const noteFormerKeys = keys.flatMap(([kind, key]) => {
    const values = isSelect(key) ? columnsIn(key, names).map((column) => quoted(column)) : [key];
    const isOther = values.map((value) =>
      isSelect(key)
        ? isAnother(`OLD.${value}`, `NEW.${value}`)
        : isAnother(over(value, 'OLD'), over(value, 'NEW')),
    );
    return ifAny(isOther, note(kind, key, 'OLD'));
  });
  const isReferenceMoved = cascadingColumns(table, captures, facts).map((column) =>
    isAnother(`OLD.${quoted(column)}`, `NEW.${quoted(column)}`),
  );
  const statements = {
    'after insert': noteKeys('NEW'),
    'after update': [...noteKeys('NEW'), ...noteFormerKeys, ...ifAny(isReferenceMoved, NOTE_EVERYTHING)],
    'after delete': noteKeys('OLD'),
    'before delete': noteCascaded(table, captures, facts),
  };
  return Object.entries(statements).flatMap(([moment, lines]) => {
    if (lines.length === 0) return [];
    const parts = { moment, table: quoted(table), statements: lines.join('\n  ') };
    const body = bodyOf(NOTE_CHANGES({ ...parts, name: '' }));
    const name = `${PREFIX}${moment.replace(' ', '_')}_${shortHash(`${table} ${moment} ${body}`)}`;
    return [{ name, table, moment, body, statement: NOTE_CHANGES({ ...parts, name }) }];
  });
}

/** As the dictionary shows it. */
function bodyOf(statement: string): string {
  return statement.slice(statement.indexOf(' for each row ') + ' for each row '.length);
}

/** Compares bytes: many collations treat ids that differ in case as equal. */
function isAnother(before: string, after: string): string {
  return `not (cast(${before} as binary) <=> cast(${after} as binary))`;
}

function ifAny(conditions: readonly string[], statement: string): readonly string[] {
  return conditions.length === 0 ? [] : [`if ${conditions.join(' or ')} then ${statement} end if;`];
}
