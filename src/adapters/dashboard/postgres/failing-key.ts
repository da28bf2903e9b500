import type { CapturedTable } from '../mapping/dashboard-mapping.js';
import { shownTable, tableName } from './table-name.js';

/**
 * Errors that a key may cause, as whole classes where PostgreSQL has them: a missing column, table or function, a revoked right, an
 * unsuitable value, an error raised by a function of the team. Errors of the moment or of the server (a deadlock, a cancellation, a full
 * disk) are not the key's, and fail the statement as usual.
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

/**
 * The handlers of a PL/pgSQL block that finds keys. A failing key must neither make the dashboard's write fail nor stop the worker. Even
 * another wording would replace the installed functions, after which everything is read again.
 */
export function keyErrorHandlers(captured: CapturedTable): string {
  const table = shownTable(tableName(captured.table)).replaceAll("'", "''").replaceAll('%', '%%');
  return `exception when ${CAUSED_BY_A_KEY.join(' or ')} then
    raise warning 'a key of the mapping failed for a change of ${table}, so that everything is read anew: %', sqlerrm
      using hint = 'Correct the keys under captures in the file that DASHBOARD_MAPPING names, then run npm run migrate.';
    ${noteEverything(captured)}`;
}

/** Keys of API keys are noted as well, because they are taken before all others. */
export function noteEverything({ touches }: CapturedTable): string {
  const everything = `insert into content_sync.change_queue (kind) values ('everything');`;
  if (touches === 'everything' || touches.api_keys === undefined) return everything;
  return `insert into content_sync.change_queue (kind) values ('api_keys');\n    ${everything}`;
}
