import type { Knex } from 'knex';
import type { CaptureFunction } from './capture-function.js';
import { CAPTURED_TABLES } from './captured-tables.js';

/** The change capture as the catalogue of the dashboard's database shows it: the sync worker's role may see no more. */
export interface CaptureState {
  /** What is not as it should be, so that changes may not be noted. */
  readonly broken: readonly string[];
  /** Of each thing that it hangs on, what becomes another one with whatever happens to it, also if it is undone. */
  readonly seen: Readonly<Record<string, string>>;
}

/**
 * A row of the catalogue is written anew (`xmin`) when a trigger is switched off and on, a column's type is changed, a partition is detached and
 * attached; none of them by VACUUM FULL, CLUSTER, ANALYZE, or a new column or index.
 */
const RELATIONS = `
  with recursive captured as (
    select name, value->>'kind' as kind, value->>'key' as key,
      array(select jsonb_array_elements_text(value->'columns')) as columns
    from jsonb_each(:tables::jsonb) as tables (name, value)
  ), family as (
    select captured.name, to_regclass(format('public.%I', captured.name))::oid as relation from captured
    union
    select family.name, inhrelid from family join pg_inherits on inhparent = family.relation
  )
  select case when nspname = 'public' then relname else nspname || '.' || relname end as relation,
    relkind = 'f' as "isForeign", relpersistence = 'u' as "isUnlogged",
    exists (select from pg_subscription_rel where srrelid = family.relation) as "isSubscribed",
    array(
      select name || ' is ' || case
        when tgenabled is null then 'missing'
        when tgenabled = 'D' then 'switched off'
        when tgenabled = 'O' then 'off where a replication tool writes'
        when tgenabled = 'R' then 'off but where a replication tool writes'
        else 'another one' end
      from (values
        ('INSERT', 'REFERENCING NEW TABLE AS added '),
        ('UPDATE', 'REFERENCING OLD TABLE AS removed NEW TABLE AS added '),
        ('DELETE', 'REFERENCING OLD TABLE AS removed '),
        ('TRUNCATE', '')
      ) as events (event, transition_tables)
        cross join lateral (select 'content_sync_' || lower(event) as name) as wanted
        left join pg_trigger on tgrelid = family.relation and tgname = wanted.name
          and tgfoid = to_regprocedure('content_sync.capture()')
      where tgenabled is distinct from 'A' or pg_get_triggerdef(pg_trigger.oid) <> format(
        'CREATE TRIGGER %s AFTER %s ON %I.%I %sFOR EACH STATEMENT EXECUTE FUNCTION content_sync.capture(%L, %L)',
        wanted.name, event, nspname, relname, transition_tables, kind, key)
      order by name
    ) as triggers,
    array(
      select name from unnest(columns) as name where not exists (
        select from pg_attribute where attrelid = family.relation and attname = name and attnum > 0 and not attisdropped)
    ) as "missingColumns",
    concat_ws(' ', family.relation,
      (select md5(string_agg(concat_ws(' ', oid, xmin, tgenabled), ',' order by tgname)) from pg_trigger
        where tgrelid = family.relation and tgname like 'content\\_sync\\_%'),
      (select md5(string_agg(concat_ws(' ', attnum, xmin, attname, atttypid), ',' order by attnum)) from pg_attribute
        where attrelid = family.relation and attname = any(columns)),
      (select md5(string_agg(concat_ws(' ', inhparent, xmin), ',' order by inhparent)) from pg_inherits
        where inhrelid = family.relation),
      (select md5(string_agg(concat_ws(' ', srsubid, xmin), ',' order by srsubid)) from pg_subscription_rel
        where srrelid = family.relation)
    ) as seen
  from family
    join captured on captured.name = family.name
    join pg_class on pg_class.oid = family.relation
    join pg_namespace on pg_namespace.oid = relnamespace
  order by relation`;

interface RelationState {
  readonly relation: string;
  readonly isForeign: boolean;
  readonly isUnlogged: boolean;
  /** Rows come from another server by logical replication. */
  readonly isSubscribed: boolean;
  readonly triggers: readonly string[];
  readonly missingColumns: readonly string[];
  readonly seen: string;
}

const FUNCTION = `
  select prosrc as body, prosecdef as "runsAsOwner", concat_ws(' ', oid, xmin) as seen
  from pg_proc where oid = to_regprocedure('content_sync.capture()')`;

interface FunctionState {
  readonly body: string;
  readonly runsAsOwner: boolean;
  readonly seen: string;
}

export async function captureState(database: Knex, expected: CaptureFunction): Promise<CaptureState> {
  const { rows: relations }: { rows: readonly RelationState[] } = await database.raw(RELATIONS, {
    tables: JSON.stringify(CAPTURED_TABLES),
  });
  const { rows: functions }: { rows: readonly FunctionState[] } = await database.raw(FUNCTION);
  const found = new Set(relations.map(({ relation }) => relation));
  const missing = Object.keys(CAPTURED_TABLES).filter((table) => !found.has(table));
  const isAsExpected = functions.some(({ body, runsAsOwner }) => body === expected.body && runsAsOwner);
  return {
    broken: [
      ...missing.map((table) => `${table} is missing`),
      ...relations.flatMap(brokenIn),
      ...(isAsExpected ? [] : ['the function content_sync.capture is not the one of this version']),
    ],
    seen: Object.fromEntries([
      ...relations.map(({ relation, seen }) => [relation, seen]),
      ['function', functions[0]?.seen ?? ''],
    ]),
  };
}

function brokenIn({
  relation,
  isForeign,
  isUnlogged,
  isSubscribed,
  triggers,
  missingColumns,
}: RelationState): readonly string[] {
  if (isForeign) return [`${relation} is a foreign table, in which changes cannot be noted`];
  return [
    ...triggers.map((trigger) => `${relation}.${trigger}`),
    ...missingColumns.map((column) => `${relation} has no column ${column}`),
    ...(isUnlogged ? [`${relation} is unlogged: a crash empties it without a change`] : []),
    ...(isSubscribed
      ? [`${relation} is filled by a subscription, whose rows fire no trigger of a statement`]
      : []),
  ];
}
