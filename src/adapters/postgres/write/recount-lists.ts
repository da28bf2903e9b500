import type { Knex } from 'knex';
import type { RecountedOrganization, RepairedTotals } from '../../../domain/model/read-model.js';

interface Recounted {
  readonly repaired: readonly RepairedTotals[];
  /** Generations that were reached, and that the read tables have lost. */
  readonly lost: ReadonlyMap<string, number>;
}

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
  organizations: readonly RecountedOrganization[],
): Promise<Recounted> {
  if (organizations.length === 0) return { repaired: [], lost: new Map() };
  const ids = organizations.map(({ organizationId }) => organizationId);
  const { rows: repaired }: { rows: readonly RepairedTotals[] } = await transaction.raw(CORRECT_TOTALS, {
    ids,
  });
  return { repaired, lost: await lostGenerations(transaction, ids, organizations) };
}

async function lostGenerations(
  transaction: Knex.Transaction,
  ids: readonly string[],
  organizations: readonly RecountedOrganization[],
): Promise<ReadonlyMap<string, number>> {
  const rows: readonly { organization_id: string; generation: string }[] = await transaction
    .withSchema('content_read')
    .from('organizations')
    .whereIn('organization_id', ids)
    .select('organization_id', 'generation');
  const generations = new Map(rows.map((row) => [row.organization_id, Number(row.generation)]));
  const lost = organizations.filter(
    ({ organizationId, shownGeneration }) => (generations.get(organizationId) ?? 0) < shownGeneration,
  );
  return new Map(lost.map(({ organizationId, shownGeneration }) => [organizationId, shownGeneration]));
}
