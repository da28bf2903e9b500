import { createHash } from 'node:crypto';
import { type CapturedTable, isSelect } from '../mapping/dashboard-mapping.js';
import { type CascadePath, cascadePaths, type ForeignKey, referencedColumns } from './cascades.js';
import { columnsIn, overChangedRow } from './changed-row.js';
import { name } from './quoted.js';

/** The prefix of all that the change capture makes in the dashboard's database. */
export const PREFIX = 'content_sync_';
const QUEUE = `insert into ${PREFIX}changes (id, kind, entity_key, at)`;
const EVERYTHING = `${QUEUE} values (uuid_short(), 'everything', null, now(6))`;
/** A column or a table that is gone must not keep the dashboard from writing. What changed then, no key tells. */
const GONE = `declare exit handler for 1054, 1146 ${EVERYTHING}`;

/** Of each captured table, what its rows touch. */
export type Captures = Readonly<Record<string, CapturedTable['touches']>>;

/** What the triggers are made from: the mapping's captures, and the tables as they are. */
export interface CapturedTables {
  readonly captures: Captures;
  /** Of every table of the database. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly foreignKeys: readonly ForeignKey[];
}

export interface CaptureTrigger {
  /** Tells of all the others: a trigger that was changed has another one. */
  readonly name: string;
  readonly table: string;
  readonly moment: string;
  readonly body: string;
}

/** All triggers of a database, in one order. */
export function captureTriggers(tables: CapturedTables): readonly CaptureTrigger[] {
  return Object.keys(tables.columns)
    .toSorted()
    .flatMap((table) => triggersOn(table, tables));
}

export function createStatement({ name: trigger, table, moment, body }: CaptureTrigger): string {
  return `create trigger ${trigger} ${moment} on ${name(table)} for each row ${body}`;
}

function triggersOn(table: string, tables: CapturedTables): readonly CaptureTrigger[] {
  const deleted = cascadePaths(tables.foreignKeys, table, 'delete');
  const updated = cascadePaths(tables.foreignKeys, table, 'update');
  const moved = referencedColumns(updated).map((column) =>
    isAnother(`OLD.${name(column)}`, `NEW.${name(column)}`),
  );
  const ifMoved = (row: string) => onlyIf(moved.join(' or '), cascaded(updated, row, tables));
  const statements: readonly (readonly [string, readonly string[]])[] = [
    ['after insert', touched(table, 'NEW', tables)],
    ['after update', [...touched(table, 'NEW', tables), ...touchedBefore(table, tables)]],
    ['after delete', touched(table, 'OLD', tables)],
    ['before delete', cascaded(deleted, 'OLD', tables)],
    // Before, the rows still have their old keys; after, the new ones.
    ['before update', ifMoved('OLD')],
    ['after update', ifMoved('NEW')],
  ];
  return statements.flatMap(([moment, lines]) => {
    if (lines.length === 0) return [];
    const body = `begin ${GONE}; ${lines.join('; ')}; end`;
    const digest = createHash('sha256').update(`${table} ${moment} ${body}`).digest('hex').slice(0, 16);
    return [{ name: `${PREFIX}${moment.replace(' ', '_')}_${digest}`, table, moment, body }];
  });
}

function capturesOf(table: string, { captures }: CapturedTables): readonly (readonly [string, string])[] {
  const capture = captures[table] ?? {};
  return capture === 'everything' ? [] : Object.entries(capture);
}

function touched(table: string, row: 'NEW' | 'OLD', tables: CapturedTables): readonly string[] {
  if (tables.captures[table] === 'everything') return [EVERYTHING];
  return capturesOf(table, tables).map(([kind, key]) => note(kind, key, keyOf(key, table, row, tables)));
}

/** The keys of before, where an update made others of them. */
function touchedBefore(table: string, tables: CapturedTables): readonly string[] {
  return capturesOf(table, tables).flatMap(([kind, key]) => {
    const [before, after] = [keyOf(key, table, 'OLD', tables), keyOf(key, table, 'NEW', tables)];
    const differs = isSelect(key)
      ? columnsIn(key, tables.columns[table] ?? []).map((column) =>
          isAnother(`OLD.${name(column)}`, `NEW.${name(column)}`),
        )
      : [isAnother(before, after)];
    return onlyIf(differs.join(' or '), [note(kind, key, before)]);
  });
}

/**
 * What a foreign key changes is read as it is now, by a lock, and not as a snapshot has it: nothing that another transaction has committed is
 * passed over. By a shared one: of the table that a statement writes, its triggers may read no rows for an update.
 */
function cascaded(paths: readonly CascadePath[], row: string, tables: CapturedTables): readonly string[] {
  return paths.flatMap((path) => {
    const table = path.keys.at(-1)?.child ?? '';
    const capture = tables.captures[table] ?? {};
    const rows = rowsOn(path, row);
    const anything = `${QUEUE} select uuid_short(), 'everything', null, now(6) ${rows} limit 1 lock in share mode`;
    if (path.isEndless || capture === 'everything') return [anything];
    const alias = `row_${path.keys.length}`;
    return Object.entries(capture).map(([kind, key]) => {
      if (isSelect(key)) return anything;
      const found = keyOf(key, table, alias, tables);
      return `${QUEUE} select uuid_short(), '${kind}', ${found}, now(6) ${rows} and (${found}) is not null lock in share mode`;
    });
  });
}

function rowsOn({ keys }: CascadePath, row: string): string {
  const joined = keys.map(({ child, columns, referenced }, at) => {
    const [alias, before] = [`row_${at + 1}`, at === 0 ? row : `row_${at}`];
    const isChild = columns.map(
      (column, nth) => `${alias}.${name(column)} = ${before}.${name(referenced[nth] ?? '')}`,
    );
    return { table: `${name(child)} as ${alias}`, condition: isChild.join(' and ') };
  });
  const tables = joined.map(({ table }) => table).join(' join ');
  return `from ${tables} where ${joined.map(({ condition }) => condition).join(' and ')}`;
}

function note(kind: string, key: string, overRow: string): string {
  if (isSelect(key)) {
    const named = `select null as found from dual where false union all ${overRow}`;
    return `${QUEUE} select uuid_short(), '${kind}', found, now(6) from (${named}) as touched where found is not null`;
  }
  return `if (${overRow}) is not null then ${QUEUE} values (uuid_short(), '${kind}', ${overRow}, now(6)); end if`;
}

function keyOf(key: string, table: string, row: string, { columns }: CapturedTables): string {
  return overChangedRow(key, columns[table] ?? [], (column) => `${row}.${name(column)}`);
}

/** To the byte: to many collations, ids that differ in case are the same. */
function isAnother(before: string, after: string): string {
  return `not (cast(${before} as binary) <=> cast(${after} as binary))`;
}

function onlyIf(condition: string, statements: readonly string[]): readonly string[] {
  return statements.length === 0 ? [] : [`if ${condition} then ${statements.join('; ')}; end if`];
}
