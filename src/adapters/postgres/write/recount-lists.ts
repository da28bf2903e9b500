import type { Knex } from 'knex';
import type { RepairedTotals } from '../../../domain/model/read-model.js';

/** Compares the totals with the entries of the same snapshot, and corrects those that are wrong. */
const CORRECT_TOTALS = `
  with counted as (
    select organization_id, term, website_id, count(*) as blogs from content_read.list_entries where organization_id = any(:ids::text[]) group by 1, 2, 3
  ), due as (
    select organization_id, term, '=' || website_id as website, blogs from counted
    union all select organization_id, term, '', sum(blogs)::bigint from counted group by 1, 2
  ), wrong as (
    select organization_id, term, website, due.blogs, coalesce(stored.blogs, 0) <> coalesce(due.blogs, 0) as is_wrong
    from due full join (select * from content_read.list_totals where organization_id = any(:ids::text[])) as stored using (organization_id, term, website)
    where due.blogs is distinct from stored.blogs
  ), corrected as (
    insert into content_read.list_totals (organization_id, term, website, blogs)
    select organization_id, term, website, blogs from wrong where blogs is not null order by 1, 2, 3
    on conflict (organization_id, term, website) do update set blogs = excluded.blogs
  ), deleted as (
    -- A list without entries. Its total is 0 until then.
    delete from content_read.list_totals as stored using wrong
    where wrong.blogs is null and (stored.organization_id, stored.term, stored.website) = (wrong.organization_id, wrong.term, wrong.website)
  )
  select organization_id as "organizationId", count(*)::int as totals from wrong where is_wrong group by 1 order by 1`;

export async function recountLists(
  transaction: Knex.Transaction,
  ids: readonly string[],
): Promise<readonly RepairedTotals[]> {
  if (ids.length === 0) return [];
  const { rows }: { rows: readonly RepairedTotals[] } = await transaction.raw(CORRECT_TOTALS, { ids });
  return rows;
}
