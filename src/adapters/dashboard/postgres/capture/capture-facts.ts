import type { Knex } from 'knex';
import { type DashboardMapping, keysOf } from '../../mapping/dashboard-mapping.js';
import { columnName, quotedTable, tableName } from '../read/quoted.js';
import { type CaptureFunction, captureFunctions } from './capture-triggers.js';

/**
 * A captured table, or one that inherits from it: a trigger fires only for the table that is named.
 */
export interface CapturedRelation {
  /** The index of its table in the mapping. */
  readonly captured: number;
  readonly relation: string;
  /** The name as SQL writes it. */
  readonly quoted: string;
  readonly isForeign: boolean;
  /** Its rows come from another server by logical replication. */
  readonly isSubscribed: boolean;
  /** Only those of the change capture. `enabled`: as `pg_trigger.tgenabled`. */
  readonly triggers: readonly {
    readonly name: string;
    readonly enabled: string;
    readonly definition: string;
  }[];
  /** A text that differs from the last one if changes may have been missed. */
  readonly seen: string;
}

/**
 * A row of the catalogue gets another `xmin` when a trigger is switched, a type changes or a
 * partition is attached, and not by VACUUM FULL or CLUSTER. A column counts if the mapping names
 * it, or may read it by a view or a function.
 */
const RELATIONS = `
  with recursive captured as (
    select (place - 1)::int as place, name from unnest(:tables::text[]) with ordinality as tables (name, place)
  ), family as (
    select place, to_regclass(name)::oid as relation from captured
    union
    select family.place, inhrelid from family join pg_inherits on inhparent = family.relation
  )
  select family.place as captured,
    case when nspname = 'public' then relname else nspname || '.' || relname end as relation,
    format('%I.%I', nspname, relname) as quoted,
    relkind = 'f' as "isForeign",
    exists (select from pg_subscription_rel where srrelid = family.relation) as "isSubscribed",
    coalesce((
      select json_agg(json_build_object('name', tgname, 'enabled', tgenabled, 'definition', pg_get_triggerdef(pg_trigger.oid)))
      from pg_trigger where tgrelid = family.relation and tgname like 'content\\_sync\\_%'
    ), '[]') as triggers,
    concat_ws(' ', family.relation,
      (select md5(string_agg(concat_ws(' ', oid, xmin, tgenabled), ',' order by tgname)) from pg_trigger
        where tgrelid = family.relation and tgname like 'content\\_sync\\_%'),
      (select md5(string_agg(concat_ws(' ', attnum, xmin, attname, atttypid,
          (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = atttypid)), ',' order by attnum))
        from pg_attribute
        where attrelid = family.relation and attnum > 0 and not attisdropped
          and (:names::text[] is null or attname = any(:names)
            or exists (select from pg_depend where classid = 'pg_rewrite'::regclass and refobjid = attrelid)
            or exists (select from pg_proc where proname = any(:names)
              and pronamespace not in (
                select oid from pg_namespace where nspname in ('pg_catalog', 'information_schema', 'content_sync'))))),
      (select md5(string_agg(concat_ws(' ', inhparent, xmin), ',' order by inhparent)) from pg_inherits
        where inhrelid = family.relation),
      (select md5(string_agg(concat_ws(' ', srsubid, xmin), ',' order by srsubid)) from pg_subscription_rel
        where srrelid = family.relation)
    ) as seen
  from family
    join pg_class on pg_class.oid = family.relation
    join pg_namespace on pg_namespace.oid = relnamespace
  order by relation`;

export async function capturedRelations(
  database: Knex,
  mapping: DashboardMapping,
): Promise<readonly CapturedRelation[]> {
  const { rows } = await database.raw(RELATIONS, {
    tables: mapping.captures.map(({ table }) => quotedTable(tableName(table))),
    names: namesIn(mapping) as string[] | null,
  });
  return rows;
}

/** SQL that reads a whole row, or may. */
const WHOLE_ROW = /(?<!count\s*\(\s*)\*|json|hstore|\brow\b|::\s*record/i;

/** All names in the mapping, of columns and others. Null: it may read any column. */
function namesIn({ selects, captures }: DashboardMapping): readonly string[] | null {
  const keys = captures.flatMap(({ touches }) => keysOf(touches).map(([, key]) => key));
  const sql = [...Object.values(selects), ...keys].join('\n');
  if (WHOLE_ROW.test(sql)) return null;
  const names = sql.match(/"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*/gu) ?? [];
  return [...new Set(names.map((name) => columnName(name)))];
}

const FUNCTIONS = `
  select proname as name, prosrc as body, prosecdef as "runsAsOwner", concat_ws(' ', pg_proc.oid, pg_proc.xmin) as seen
  from pg_proc where pronamespace = to_regnamespace('content_sync') and proname = any(:names::text[])`;

interface InstalledFunction {
  readonly name: string;
  readonly body: string;
  readonly runsAsOwner: boolean;
  readonly seen: string;
}

/** The functions of a mapping, and which of them are not as they should be. */
export async function installedFunctions(database: Knex, mapping: DashboardMapping) {
  const wanted = captureFunctions(mapping);
  const { rows: installed }: { rows: InstalledFunction[] } = await database.raw(FUNCTIONS, {
    names: wanted.map(({ name }) => name),
  });
  const isInstalled = ({ name, body }: CaptureFunction) =>
    installed.some((one) => one.name === name && one.body === body && one.runsAsOwner);
  return { installed, missing: wanted.filter((one) => !isInstalled(one)) };
}

/** The last word of the schema's comment. */
export async function installedFor(database: Knex): Promise<string> {
  const { rows }: { rows: [{ comment: string | null }] } = await database.raw(
    `select obj_description(to_regnamespace('content_sync'), 'pg_namespace') as comment`,
  );
  return rows[0].comment?.split(' ').at(-1) ?? '';
}
