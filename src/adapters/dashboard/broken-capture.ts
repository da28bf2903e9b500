import type { Knex } from 'knex';
import { DASHBOARD_TABLES } from './missing-dashboard-tables.js';

/**
 * The triggers of the change capture that are not in place, each with what is wrong. It looks at the catalogue alone, since the sync
 * worker's role may see no more; `ensure_capture` also mends those whose definition was altered.
 */
export async function brokenCapture(database: Knex): Promise<readonly string[]> {
  const { rows }: { rows: { trigger: string; enabled: string | null }[] } = await database.raw(
    `select captured || '.' || name as trigger, tgenabled as enabled
    from unnest(:tables::text[]) as captured
      cross join unnest('{content_sync_insert,content_sync_update,content_sync_delete,content_sync_truncate}'::text[]) as name
      left join pg_trigger on tgrelid = to_regclass(format('public.%I', captured)) and tgname = name
        and tgfoid = to_regprocedure('content_sync.capture()')
    where tgenabled is distinct from 'A' order by 1`,
    { tables: DASHBOARD_TABLES },
  );
  return rows.map(({ trigger, enabled }) => `${trigger} is ${STATES[enabled ?? 'none'] ?? 'not always on'}`);
}

const STATES: Readonly<Record<string, string>> = {
  none: 'missing',
  D: 'switched off',
  O: 'off where a replication tool writes',
  R: 'off but where a replication tool writes',
};
