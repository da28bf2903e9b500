import type { Knex } from 'knex';
import type { JobUpdate } from '../../../domain/model/job.js';
import type { Recount, RecountedOrganization, RepairedTotals } from '../../../domain/model/read-model.js';

/** The last counted list of an organization with more entries than one step counts. */
export interface RecountPlace {
  readonly organizationId: string;
  readonly term: string;
}

export interface Recounted {
  readonly repaired: readonly RepairedTotals[];
  /** Null: all lists of these organizations are counted. */
  readonly place: RecountPlace | null;
  /** To be applied if they are. */
  readonly whenCounted: readonly JobUpdate[];
  /** Generations that were reached, and that the read tables have lost. */
  readonly lost: ReadonlyMap<string, number>;
}

/** The list in which a step ends: as many entries after the last one as a step counts. */
const LAST_TERM = `
  select term from content_read.list_entries
  where organization_id = :organizationId and (:after::text is null or term > :after)
  order by organization_id, term, published_at, id, website_id offset :stretchSize limit 1`;

const SLICE = `organization_id = any(:ids::text[]) and (:after::text is null or term > :after) and (:through::text is null or term <= :through)`;

/** Compares the totals with the entries of the same snapshot, and corrects those that are wrong. */
const CORRECT_TOTALS = `
  with counted as (
    select organization_id, term, website_id, count(*) as blogs from content_read.list_entries where ${SLICE} group by 1, 2, 3
  ), due as (
    select organization_id, term, '=' || website_id as website, blogs from counted
    union all select organization_id, term, '', sum(blogs)::bigint from counted group by 1, 2
  ), wrong as (
    select organization_id, term, website, due.blogs, coalesce(stored.blogs, 0) <> coalesce(due.blogs, 0) as is_wrong
    from due full join (select * from content_read.list_totals where ${SLICE}) as stored using (organization_id, term, website)
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

/** All lists of these organizations, or some of the first one if it has too many entries. */
export async function recountLists(
  transaction: Knex.Transaction,
  { organizations, stretchSize }: Recount,
  before: RecountPlace | null,
): Promise<Recounted> {
  const [first] = organizations;
  const ids = organizations.map(({ organizationId }) => organizationId);
  const isAlone = first !== undefined && organizations.length === 1;
  const after = isAlone && before?.organizationId === first.organizationId ? before.term : null;
  const through = isAlone ? await lastTerm(transaction, first.organizationId, after, stretchSize) : null;
  const { rows: repaired }: { rows: readonly RepairedTotals[] } = await transaction.raw(CORRECT_TOTALS, {
    ids,
    after,
    through,
  });
  if (isAlone && through !== null) {
    const position = { organizationId: first.organizationId, term: through };
    return { repaired, place: position, whenCounted: [], lost: new Map() };
  }
  const whenCounted = organizations.slice(-1).map((last) => last.whenCounted);
  return { repaired, place: null, whenCounted, lost: await lostGenerations(transaction, organizations) };
}

async function lastTerm(
  transaction: Knex.Transaction,
  organizationId: string,
  after: string | null,
  stretchSize: number,
): Promise<string | null> {
  const { rows }: { rows: readonly { readonly term: string }[] } = await transaction.raw(LAST_TERM, {
    organizationId,
    after,
    stretchSize,
  });
  return rows[0]?.term ?? null;
}

async function lostGenerations(
  transaction: Knex.Transaction,
  organizations: readonly RecountedOrganization[],
): Promise<ReadonlyMap<string, number>> {
  const rows: readonly { organization_id: string; generation: string }[] = await transaction
    .withSchema('content_read')
    .from('organizations')
    .whereIn(
      'organization_id',
      organizations.map(({ organizationId }) => organizationId),
    )
    .select('organization_id', 'generation');
  const generations = new Map(rows.map((row) => [row.organization_id, Number(row.generation)]));
  const lost = organizations.filter(
    ({ organizationId, shownGeneration }) => (generations.get(organizationId) ?? 0) < shownGeneration,
  );
  return new Map(lost.map(({ organizationId, shownGeneration }) => [organizationId, shownGeneration]));
}
