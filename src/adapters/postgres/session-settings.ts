/**
 * What a server, a database or a role may have been told, and what a program of ours would misread, lose or fail at. Left alone is what
 * only costs time (`enable_…`, `work_mem`), but for who keeps plans, and what is the operator's to say (`default_tablespace`, `lc_messages`).
 */
const COMMON = {
  // How values are written and read.
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  // Which tables and rows there are: to a search for titles, too, which may be told to find some of them only.
  search_path: 'public',
  row_security: 'on',
  gin_fuzzy_search_limit: '0',
  // What a transaction is, and how long it, its session and a wait in it may last.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '60s',
  idle_session_timeout: '0',
  exit_on_error: 'off',
  // Compiles a query for a second that runs for a millisecond.
  jit: 'off',
};

/** How soon the server notices that whoever was connected is gone without a word. Silently without effect where a system has no such thing. */
type Farewell =
  | 'tcp_user_timeout'
  | 'tcp_keepalives_idle'
  | 'tcp_keepalives_interval'
  | 'tcp_keepalives_count';

export type SessionSettings = Readonly<
  Partial<
    Record<
      keyof typeof COMMON | Farewell | 'statement_timeout' | 'enable_seqscan' | 'plan_cache_mode',
      string
    >
  >
> & {
  /** On servers of this version or a later one. */
  readonly enable_sort?: { readonly value: 'off'; readonly sinceVersion: number };
};

/** One message, which no setting can keep from its end: first of all, nothing in it is broken off. */
export function pinned(settings: SessionSettings): string {
  const { statement_timeout = '0', enable_sort: sort, ...others } = { ...COMMON, ...settings };
  return [
    'set statement_timeout = 0',
    ...Object.entries(others).map(([name, value]) => `set ${name} = '${value}'`),
    ...(sort === undefined
      ? []
      : [
          `select pg_catalog.set_config('enable_sort', '${sort.value}', false)
           where pg_catalog.current_setting('server_version_num')::integer >= ${sort.sinceVersion}`,
        ]),
    `set statement_timeout = '${statement_timeout}'`,
  ].join('; ');
}

/**
 * What depends on the server's version, or is set only where it is worse: a commit that waits for a standby as well is better still. A role
 * may be refused the last one: then triggers do not fire, and it must not write.
 */
export const PINNED_FOR_WRITERS = `
  select pg_catalog.set_config(wanted.name, wanted.value, false)
  from (values
    ('transaction_timeout', '0', '{0}'::text[]),
    ('synchronous_commit', 'on', '{on,remote_apply}'),
    ('session_replication_role', 'origin', '{origin}')
  ) as wanted (name, value, good)
  where pg_catalog.current_setting(wanted.name, true) <> all (wanted.good)`;
