import type { Knex } from 'knex';
import { means } from '../../../sql/mysql/fault-of.js';
import { queryRows } from '../../../sql/mysql/query-rows.js';
import { isMariaDb, mysqlVersion } from '../../../sql/mysql/server-identity.js';
import { literal } from '../read/quoted.js';
import { NOTE_FUNCTION_FACTS, PREFIX } from './note-function.js';

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

interface TableIndex {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly string[];
}

export interface TableColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

interface ExistingTable {
  readonly table: string;
  readonly engine: string;
  /** In seconds, so it is marked until no other change can have the same one. */
  readonly madeAt: string;
}

export interface ExistingTrigger {
  readonly name: string;
  readonly table: string;
  readonly body: string;
  readonly createdAt: string;
}

/** The dashboard's database as the data dictionary describes it. */
export interface CaptureFacts {
  readonly tables: readonly ExistingTable[];
  readonly columns: readonly TableColumn[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The preferred index comes first. */
  readonly indexes: readonly TableIndex[];
  /** Only the triggers of the change capture. */
  readonly triggers: readonly ExistingTrigger[];
  readonly noteFunction: string | undefined;
  /** The digest of the mapping for which the capture was installed. */
  readonly mapping: string | undefined;
  readonly installedProcedure: string | undefined;
  /**
   * InnoDB's ids of tables. TRUNCATE and anything that rewrites a table change its id. Null: this
   * user may not read them.
   */
  readonly storage: readonly { readonly table: string; readonly id: string }[] | null;
}

/** What is wrong with the engine of a table; null: it can be captured. */
export function engineProblem({ engine }: Pick<ExistingTable, 'engine'>): string | null {
  return engine === 'InnoDB'
    ? null
    : `has the engine ${engine}, but only InnoDB has consistent snapshots of all tables`;
}

/** The facts, with the body of a procedure that would read them. */
type OwnFacts = CaptureFacts & { readonly procedure: string };

/** A fact as it is queried: its lists of columns are text with a name on each line. */
type Columns<Fact, Lists extends keyof Fact> = Omit<Fact, Lists> & Readonly<Record<Lists, string>>;

type QueryResults = [
  CaptureFacts['tables'],
  CaptureFacts['columns'],
  Columns<ForeignKey, 'columns' | 'referenced'>[],
  Columns<TableIndex, 'columns'>[],
  CaptureFacts['triggers'],
  { readonly body: string }[],
  { readonly mapping: string; readonly body: string }[],
  CaptureFacts['storage'] | object | undefined,
];

const OURS = `like '${PREFIX.replaceAll('_', '\\_')}%'`;
/** Managed keys are captured like other rows. */
const NOT_OURS = `table_name not in ('${PREFIX}changes', '${PREFIX}identity')`;
export const FACTS_PROCEDURE = `${PREFIX}facts`;

const PROCEDURE_FACTS = `select routine_comment as mapping, routine_definition as body from information_schema.routines
    where routine_schema = database() and routine_name = '${FACTS_PROCEDURE}'`;

const STATEMENTS = [
  `select table_name as 'table', engine as 'engine', concat(create_time, if(create_time < now() - interval 1 second, '', ' just now')) as madeAt
    from information_schema.tables where table_schema = database() and table_type in ('BASE TABLE', 'SYSTEM VERSIONED') and ${NOT_OURS} order by 1`,
  `select table_name as 'table', column_name as 'column', column_type as 'type' from information_schema.columns
    where table_schema = database() and ${NOT_OURS} order by table_name, ordinal_position`,
  `select part.constraint_name as name, part.table_name as child, part.referenced_table_name as parent,
      group_concat(part.column_name order by part.ordinal_position separator '\\n') as columns,
      group_concat(part.referenced_column_name order by part.ordinal_position separator '\\n') as referenced,
      max(rule.delete_rule) as onDelete, max(rule.update_rule) as onUpdate
    from information_schema.key_column_usage as part join information_schema.referential_constraints as rule
      on rule.constraint_schema = part.constraint_schema and rule.constraint_name = part.constraint_name and rule.table_name = part.table_name
    where part.table_schema = database() and part.referenced_table_schema = database()
    group by part.table_name, part.constraint_name, part.referenced_table_name order by part.table_name, part.constraint_name`,
  // An index part that is an expression is not a column.
  `select table_name as 'table', index_name as name, group_concat(coalesce(column_name, '') order by seq_in_index separator '\\n') as columns
    from information_schema.statistics where table_schema = database() and ${NOT_OURS}
    group by table_name, index_name, non_unique order by table_name, index_name = 'PRIMARY' desc, non_unique, index_name`,
  `select trigger_name as name, event_object_table as 'table', action_statement as body, created as createdAt
    from information_schema.triggers where trigger_schema = database() and trigger_name ${OURS} order by 1`,
  NOTE_FUNCTION_FACTS,
  PROCEDURE_FACTS,
] as const;

/** For a user that may see all processes. InnoDB names files: a hyphen is `@002d`. */
function storageIn(dictionary: string): string {
  const decoded = (encoded: string) => `convert(cast(${encoded} as binary) using filename)`;
  const table = `substring_index(substring_index(substring_index(name, '/', -1), '#P#', 1), '#p#', 1)`;
  return `select ${decoded(table)} as 'table', table_id as id from information_schema.${dictionary}
    where cast(convert(${decoded(`substring_index(name, '/', 1)`)} using utf8mb4) as binary) = cast(convert(database() using utf8mb4) as binary)
    order by table_id`;
}

/** Read through the procedure, because the worker may see neither triggers nor foreign keys. */
export async function ownFacts(database: Knex): Promise<OwnFacts> {
  const storage = storageIn(isMariaDb(await mysqlVersion(database)) ? 'innodb_sys_tables' : 'innodb_tables');
  const results = [];
  for (const statement of STATEMENTS) results.push(await queryRows(database, statement));
  const stored = await queryRows<object>(database, storage).catch((error: unknown) => {
    if (!means(error, 'unavailableFacts')) throw error;
    return null;
  });
  const statements = stored === null ? STATEMENTS : [...STATEMENTS, storage];
  return {
    ...toFacts([...results, stored ?? {}] as unknown as QueryResults),
    procedure: `begin\n${statements.map((statement) => `  ${statement};\n`).join('')}end`,
  };
}

/** Of these tables, those that the database has and its user may see. */
export async function existingTables(database: Knex, tables: readonly string[]): Promise<readonly string[]> {
  const names = tables.map(literal).join(', ');
  const rows = await queryRows<{ name: string }>(
    database,
    `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${names}) order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Also for a worker, which may call the procedure. */
export async function installedFor(database: Knex): Promise<string> {
  const [procedure] = await queryRows<{ mapping: string }>(database, PROCEDURE_FACTS);
  return procedure?.mapping ?? '';
}

export function createFactsProcedure(body: string): string {
  return `create procedure ${FACTS_PROCEDURE}() reads sql data sql security definer ${body}`;
}

/** Read with the rights of the user that created the procedure. */
export async function installedFacts(database: Knex): Promise<CaptureFacts> {
  const results: unknown = await queryRows(database, `call ${FACTS_PROCEDURE}()`);
  return toFacts(results as QueryResults);
}

function toFacts(results: QueryResults): CaptureFacts {
  const [tables, columns, foreignKeys, indexes, triggers, routines, [procedure], storage] = results;
  return {
    tables,
    columns,
    foreignKeys: foreignKeys.map((key) => ({
      ...key,
      columns: key.columns.split('\n'),
      referenced: key.referenced.split('\n'),
    })),
    indexes: indexes.map((index) => ({ ...index, columns: index.columns.split('\n') })),
    triggers,
    noteFunction: routines[0]?.body,
    mapping: procedure?.mapping,
    installedProcedure: procedure?.body,
    // Without the right to storage ids, the last result is the header that ends a call.
    storage: Array.isArray(storage) ? storage : null,
  };
}
