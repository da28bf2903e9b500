import type { Knex } from 'knex';
import { type DashboardMapping, digestOf } from '../../mapping/dashboard-mapping.js';
import { quotedTable, type TableName, tableName } from '../read/quoted.js';
import { captureFunctionOf } from './capture-triggers.js';
import type { GeneratedFunction } from './generated-function.js';
import { lookupFunctionOf } from './lookups.js';

/** The parts of the change capture of a mapping. */
export interface CapturedMapping {
  /** Functions that find keys come before the triggers that note look-ups. */
  readonly functions: readonly GeneratedFunction[];
  readonly tables: readonly TableName[];
  /** Changes with the mapping. */
  readonly digest: string;
}

export function capturedMapping(mapping: DashboardMapping): CapturedMapping {
  const { captures } = mapping;
  return {
    functions: [
      ...captures.flatMap((captured) => lookupFunctionOf(captured) ?? []),
      ...captures.flatMap((captured) => captureFunctionOf(captured) ?? []),
    ],
    tables: captures.map(({ table }) => tableName(table)),
    digest: digestOf(mapping),
  };
}

export function installedComment(digest: string): string {
  return `blog-read-api: the change capture of the mapping ${digest}`;
}

/**
 * A captured table, or one that inherits from it: a trigger fires only for the table that is named.
 */
export interface RelationState {
  /** The index of its table in the mapping. */
  readonly captured: number;
  readonly relation: string;
  /** The name as SQL writes it. */
  readonly quoted: string;
  readonly isForeign: boolean;
  /** Its rows come from another server by logical replication. */
  readonly isSubscribed: boolean;
  /** Triggers that are not as they should be. */
  readonly triggers: readonly {
    readonly name: string;
    readonly wrong: string;
    readonly definition: string;
  }[];
  readonly seen: string;
}

/**
 * A row of the catalogue gets another `xmin` when a trigger is switched, a type changes or a
 * partition is attached, and not by VACUUM FULL or CLUSTER.
 */
const RELATIONS = `
  with recursive captured as (
    select (place - 1)::int as place, value->>'table' as name, value->>'function' as function
    from jsonb_array_elements(:tables::jsonb) with ordinality as tables (value, place)
  ), family as (
    select place, to_regclass(name)::oid as relation from captured
    union
    select family.place, inhrelid from family join pg_inherits on inhparent = family.relation
  )
  select captured.place as captured,
    case when nspname = 'public' then relname else nspname || '.' || relname end as relation,
    format('%I.%I', nspname, relname) as quoted,
    relkind = 'f' as "isForeign",
    exists (select from pg_subscription_rel where srrelid = family.relation) as "isSubscribed",
    coalesce((
      select json_agg(json_build_object('name', wanted.name, 'definition', wanted.definition, 'wrong', case
        when tgenabled is null then 'missing'
        when tgenabled = 'D' then 'disabled'
        when tgenabled = 'O' then 'not enabled for replication tools'
        when tgenabled = 'R' then 'enabled for replication tools only'
        else 'not the trigger of this version' end) order by wanted.name)
      from (values
        ('INSERT', 'REFERENCING NEW TABLE AS added '),
        ('UPDATE', 'REFERENCING OLD TABLE AS removed NEW TABLE AS added '),
        ('DELETE', 'REFERENCING OLD TABLE AS removed '),
        ('TRUNCATE', '')
      ) as events (event, transition_tables)
        cross join lateral (select 'content_sync_' || lower(event) as name, format(
          'TRIGGER content_sync_%s AFTER %s ON %I.%I %sFOR EACH STATEMENT EXECUTE FUNCTION content_sync.%I()',
          lower(event), event, nspname, relname, transition_tables, function) as definition) as wanted
        left join pg_trigger on tgrelid = family.relation and tgname = wanted.name
      where function is not null
        and (tgenabled is distinct from 'A' or pg_get_triggerdef(pg_trigger.oid) <> 'CREATE ' || wanted.definition)
    ), '[]') as triggers,
    concat_ws(' ', family.relation,
      (select md5(string_agg(concat_ws(' ', oid, xmin, tgenabled), ',' order by tgname)) from pg_trigger
        where tgrelid = family.relation and tgname like 'content\\_sync\\_%'),
      (select md5(string_agg(concat_ws(' ', attnum, xmin, attname, atttypid,
          (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = atttypid)), ',' order by attnum))
        from pg_attribute where attrelid = family.relation and attnum > 0 and not attisdropped),
      (select md5(string_agg(concat_ws(' ', inhparent, xmin), ',' order by inhparent)) from pg_inherits
        where inhrelid = family.relation),
      (select md5(string_agg(concat_ws(' ', srsubid, xmin), ',' order by srsubid)) from pg_subscription_rel
        where srrelid = family.relation)
    ) as seen
  from family
    join captured on captured.place = family.place
    join pg_class on pg_class.oid = family.relation
    join pg_namespace on pg_namespace.oid = relnamespace
  order by relation`;

export async function capturedRelations(
  database: Knex,
  { tables, functions }: CapturedMapping,
): Promise<readonly RelationState[]> {
  const requested = tables.map((table) => ({
    table: quotedTable(table),
    function:
      functions.find((one) => one.isTrigger && quotedTable(one.table) === quotedTable(table))?.name ?? null,
  }));
  const { rows } = await database.raw(RELATIONS, { tables: JSON.stringify(requested) });
  return rows;
}
