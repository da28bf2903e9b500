import type { Knex } from 'knex';
import type { ReadModelSlice } from '../../../domain/model/read-model.js';

/** Notes what is not shown, and forgets the other ids. */
const REPLACE_UNSHOWN = `
  with unshown as (
    select * from json_to_recordset(:unshown::json) as unshown (id text, reason text, cause text, attempts int, "retryAfterMs" float8)
  ), noted as (
    insert into content_read.unshown_rows (kind, id, reason, cause, attempts, retry_at)
    select :kind, id, reason, cause, attempts, clock_timestamp() + "retryAfterMs" * interval '1 millisecond' from unshown
    on conflict (kind, md5(id)) do update set reason = excluded.reason, cause = excluded.cause, attempts = excluded.attempts,
      retry_at = excluded.retry_at
  )
  delete from content_read.unshown_rows
  where kind = :kind and id = any(:ids::text[]) and id not in (select id from unshown)`;

/** Returns how many rows are not unshown any more. */
export async function replaceUnshown(
  transaction: Knex.Transaction,
  { kind, ids, unshown }: ReadModelSlice,
): Promise<number> {
  const { rowCount }: { rowCount: number } = await transaction
    .raw(REPLACE_UNSHOWN, { ids, kind, unshown: JSON.stringify(unshown) })
    .options({ name: 'content_read_replace_unshown' });
  return rowCount;
}
