import type { CapturedTable } from '../../mapping/dashboard-mapping.js';
import { shownTable, tableName } from '../read/table-name.js';

/** Errors of the moment or of the server (a deadlock, a cancellation, a full disk) are not the key's, and fail the statement as usual. */
const OF_THE_SERVER = `left(sqlstate, 2) in ('40', '53', '57', '58') or sqlstate = '55P03'`;

/**
 * The handlers of a PL/pgSQL block that finds keys. A failing key must neither make the dashboard's write fail nor stop the worker. Even
 * another wording would replace the installed functions, after which everything is read again.
 */
export function keyErrorHandlers(captured: CapturedTable): string {
  const table = shownTable(tableName(captured.table)).replaceAll("'", "''").replaceAll('%', '%%');
  return `exception when others then
    if ${OF_THE_SERVER} then raise; end if;
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
