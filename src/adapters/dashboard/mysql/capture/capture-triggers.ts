import { isSelect, shortHash } from '../../mapping/dashboard-mapping.js';
import { name } from '../read/quoted.js';
import type { ExistingTrigger } from './capture-facts.js';
import {
  type CapturedTables,
  columnNames,
  keyOver,
  NOTING_EVERYTHING,
  noting,
  PREFIX,
} from './captured-tables.js';
import { cascadingColumns, noteCascaded } from './cascades.js';
import { columnsIn } from './changed-row.js';
import { notingLookup } from './lookups.js';

/** No table or function, or no right to use it: a copy of the database may lack the queue. */
const ERRORS_OF_A_COPY = [1146, 1305, 1142, 1143, 1370];

/**
 * A key that fails must not fail a write of the dashboard. A write that cannot be noted has to.
 * Errors that end the transaction pass all handlers.
 */
const NOTE_EVERYTHING_ON_ERROR = `declare exit handler for sqlexception
  begin declare continue handler for ${ERRORS_OF_A_COPY.join(', ')} begin end; set noted = ${NOTING_EVERYTHING}; end`;

export interface CaptureTrigger {
  /** Derived from everything else: a changed trigger has a different name. */
  readonly name: string;
  readonly table: string;
  readonly moment: string;
  readonly body: string;
}

/** All triggers of a database, in a fixed order. */
export function captureTriggers(tables: CapturedTables): readonly CaptureTrigger[] {
  return Object.keys(tables.columns)
    .toSorted()
    .flatMap((table) => triggersOn(table, tables));
}

export function createStatement({ name: trigger, table, moment, body }: CaptureTrigger): string {
  return `create trigger ${trigger} ${moment} on ${name(table)} for each row ${body}`;
}

/** Whether a trigger of the database is the one that is wanted. */
export function isSame(wanted: CaptureTrigger, existing: ExistingTrigger): boolean {
  const { name: trigger, table, body } = wanted;
  return trigger === existing.name && table === existing.table && body === existing.body;
}

function triggersOn(table: string, tables: CapturedTables): readonly CaptureTrigger[] {
  const moved = cascadingColumns(table, tables).map((column) =>
    isAnother(`OLD.${name(column)}`, `NEW.${name(column)}`),
  );
  const statements: readonly (readonly [string, readonly string[]])[] = [
    ['after insert', touched(table, 'NEW', tables)],
    [
      'after update',
      [
        ...touched(table, 'NEW', tables),
        ...touchedBefore(table, tables),
        ...onlyIf(moved.join(' or '), [`set noted = ${NOTING_EVERYTHING}`]),
      ],
    ],
    ['after delete', touched(table, 'OLD', tables)],
    ['before delete', noteCascaded(table, tables)],
  ];
  return statements.flatMap(([moment, lines]) => {
    if (lines.length === 0) return [];
    const body = `begin declare noted bigint; ${NOTE_EVERYTHING_ON_ERROR}; ${lines.join('; ')}; end`;
    const digest = shortHash(`${table} ${moment} ${body}`);
    return [{ name: `${PREFIX}${moment.replace(' ', '_')}_${digest}`, table, moment, body }];
  });
}

function capturesOf(table: string, { captures }: CapturedTables): readonly (readonly [string, string])[] {
  const capture = captures[table] ?? {};
  return capture === 'everything' ? [] : Object.entries(capture);
}

function touched(table: string, row: 'NEW' | 'OLD', tables: CapturedTables): readonly string[] {
  if (tables.captures[table] === 'everything') return [`set noted = ${NOTING_EVERYTHING}`];
  return capturesOf(table, tables).map((capture) => note(capture, table, row, tables));
}

/** The old keys, where an update changed them. */
function touchedBefore(table: string, tables: CapturedTables): readonly string[] {
  return capturesOf(table, tables).flatMap((capture) => {
    const [, key] = capture;
    const differs = isSelect(key)
      ? columnsIn(key, columnNames(table, tables)).map((column) =>
          isAnother(`OLD.${name(column)}`, `NEW.${name(column)}`),
        )
      : [isAnother(keyOver(key, table, 'OLD', tables), keyOver(key, table, 'NEW', tables))];
    return onlyIf(differs.join(' or '), [note(capture, table, 'OLD', tables)]);
  });
}

function note(
  capture: readonly [string, string],
  table: string,
  row: 'NEW' | 'OLD',
  tables: CapturedTables,
): string {
  const [kind, key] = capture;
  const noted = isSelect(key)
    ? notingLookup(capture, table, row, tables)
    : noting(kind, keyOver(key, table, row, tables));
  return `set noted = ${noted}`;
}

/** Compares bytes: many collations treat ids that differ in case as equal. */
function isAnother(before: string, after: string): string {
  return `not (cast(${before} as binary) <=> cast(${after} as binary))`;
}

function onlyIf(condition: string, statements: readonly string[]): readonly string[] {
  return statements.length === 0 || condition === ''
    ? []
    : [`if ${condition} then ${statements.join('; ')}; end if`];
}
