import type { CapturedTable } from '../mapping/dashboard-mapping.js';
import { shownTable, tableName } from './table-name.js';

/**
 * What a key may fail with, whole classes where PostgreSQL names them so: a column, a table or a function that is gone, a right that was taken
 * away, a value that does not do, what a function of the team's says. What is of the moment or of the server (a deadlock, a cancellation, a
 * full disk) is no matter of the key, and fails the statement as it would anywhere.
 */
const CAUSED_BY_A_KEY = [
  'feature_not_supported',
  'cardinality_violation',
  'data_exception',
  'integrity_constraint_violation',
  'sql_routine_exception',
  'external_routine_exception',
  'external_routine_invocation_exception',
  'invalid_schema_name',
  'syntax_error_or_access_rule_violation',
  'program_limit_exceeded',
  'plpgsql_error',
  'internal_error',
];

/** The handlers of a block in PL/pgSQL that finds keys: it must not keep the dashboard from writing, nor the worker from working. */
export function whereAKeyFails(captured: CapturedTable): string {
  const table = shownTable(tableName(captured.table)).replaceAll("'", "''").replaceAll('%', '%%');
  return `exception when ${CAUSED_BY_A_KEY.join(' or ')} then
    raise warning 'a key of the mapping failed for a change of ${table}, so that everything is read anew: %', sqlerrm
      using hint = 'Correct the keys under captures in the file that DASHBOARD_MAPPING names, then run npm run migrate.';
    ${noteEverything(captured)}`;
}

/** Keys of API keys are noted as well: they are taken before all others. */
export function noteEverything({ touches }: CapturedTable): string {
  const everything = `insert into content_sync.change_queue (kind) values ('everything');`;
  if (touches === 'everything' || touches.api_keys === undefined) return everything;
  return `insert into content_sync.change_queue (kind) values ('api_keys');\n    ${everything}`;
}
