/**
 * Settings with which our programs would misread, lose data or fail. Those that only cost time
 * stay, except where plans are kept, and so do those that are the operator's choice.
 */
const COMMON = {
  // The notation of values.
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  // What is visible to the session.
  search_path: 'public',
  row_security: 'on',
  // A search would leave matches out.
  gin_fuzzy_search_limit: '0',
  // Isolation, and time limits of a transaction, its session and its lock waits.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '60s',
  idle_session_timeout: '0',
  // JIT compilation takes a second for a query that runs for a millisecond.
  jit: 'off',
};

export type SessionSettings = Readonly<Record<string, string>>;

/** One message, whose first setting removes the time limit, so nothing interrupts it. */
export function pinned(settings: SessionSettings): string {
  const { statement_timeout = '0', ...otherSettings } = { ...COMMON, ...settings };
  return [
    'set statement_timeout = 0',
    ...Object.entries(otherSettings).map(([name, value]) => `set ${name} = '${value}'`),
    `set statement_timeout = '${statement_timeout}'`,
  ].join('; ');
}

/**
 * Set only if the current value is worse. A role may be denied the last one: triggers do not fire
 * then, and it must not write.
 */
export const PINNED_FOR_WRITERS = `
  select pg_catalog.set_config(wanted.name, wanted.value, false)
  from (values
    ('transaction_timeout', '0', '{0}'::text[]),
    ('synchronous_commit', 'on', '{on,remote_apply}'),
    ('session_replication_role', 'origin', '{origin}')
  ) as wanted (name, value, good)
  where pg_catalog.current_setting(wanted.name, true) <> all (wanted.good)`;
