import type { Knex } from 'knex';
import { KindFails, LeadershipLost } from '../../../domain/errors.js';
import type { Scope, WideKind } from '../../../domain/model/job.js';
import type {
  DueRow,
  RaisedGeneration,
  ReadModelChange,
  ReadModelUpdate,
  RepairedTotals,
  RowKind,
} from '../../../domain/model/read-model.js';
import type { ContentChange } from '../../../domain/model/webhook.js';
import { reasonOf } from '../../../domain/policies/reason-of.js';
import type { ReadModelWriter } from '../../../domain/ports/sync/read-model-writer.js';
import { faultOf } from '../../sql/postgres/fault-of.js';
import { categoryTerm, RAISED_CHANNEL, tagTerm, websiteOfList } from '../read-tables.js';
import { contentChanges, NOTE_CHANGES } from './content-changes.js';
import { deleteSettledHiddenWebsites, hideWebsites } from './hide-websites.js';
import { type ChangedRow, replaceSlice, TABLES_OF } from './replace-slice.js';
import { replaceUnshown } from './replace-unshown.js';
import { updateJobs } from './update-jobs.js';
import { WRITTEN_TABLES } from './written-tables.js';

/** Above all organizations, as processes expect that follow the generations. */
const RAISE = `
  with asked as (
    select organization_id, changes, greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint,
      (select max(generation) + 1 from content_read.organizations)) as generation
    from unnest(:ids::text[], :changes::jsonb[]) as asked (organization_id, changes)
  ), raised as (
    insert into content_read.organizations (organization_id, generation) select organization_id, generation from asked
    on conflict (organization_id) do update set generation = excluded.generation
  ), noted as (${NOTE_CHANGES})
  select organization_id as "organizationId", generation::float8 as generation from asked`;

async function raiseGenerations(
  transaction: Knex.Transaction,
  changes: ReadonlyMap<string, readonly ContentChange[]>,
): Promise<readonly RaisedGeneration[]> {
  if (changes.size === 0) return [];
  const raised: { rows: readonly RaisedGeneration[] } = await transaction
    .raw(RAISE, {
      ids: [...changes.keys()],
      changes: [...changes.values()].map((noted) => JSON.stringify(noted)),
    })
    .options({ name: 'content_read_raise' });
  await transaction.raw(`notify ${RAISED_CHANNEL}`);
  return raised.rows;
}

/** Compares the totals with the entries of the same snapshot, and corrects those that are wrong. */
const CORRECT_TOTALS = `
  with counted as (
    select organization_id, term, website_id, count(*) as blogs from content_read.list_entries where organization_id = any(:ids::text[]) group by 1, 2, 3
  ), due as (
    select organization_id, term, ${websiteOfList('website_id')} as website, blogs from counted
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

async function recountLists(
  transaction: Knex.Transaction,
  ids: readonly string[],
): Promise<readonly RepairedTotals[]> {
  if (ids.length === 0) return [];
  const { rows }: { rows: readonly RepairedTotals[] } = await transaction.raw(CORRECT_TOTALS, { ids });
  return rows;
}

async function allOrganizations(transaction: Knex.Transaction): Promise<readonly string[]> {
  return transaction.withSchema('content_read').from('organizations').pluck('organization_id');
}

/** The id of an unshown row may have any length. */
const KEYS_BYTES = 1024 * 1024;

/** One look-up for each organization, because each has many totals. */
const NEXT_ORGANIZATIONS = `
  with recursive walked (id, place) as (
    select :after::text collate "C", 0
    union all
    select next.organization_id, walked.place + 1
    from walked cross join lateral (
      select least(
        (select min(organization_id) from content_read.organizations where organization_id >= coalesce(walked.id, '') and organization_id is distinct from walked.id),
        (select min(organization_id) from content_read.list_totals where organization_id >= coalesce(walked.id, '') and organization_id is distinct from walked.id)
      ) as organization_id
    ) as next
    where walked.place < :limit and next.organization_id is not null
  )
  select id from walked where place > 0 order by place`;

const KEYS = ':keys::text[]';
const isOfWebsites = `website_id = any(${KEYS})`;
const termIds = (term: string, table: string) =>
  `select '${term}' || id from content_read.${table} where ${isOfWebsites}`;

/** Rows that show something of categories, tags or websites. */
const SHOWING: Readonly<Record<WideKind, Partial<Record<RowKind, string>>>> = {
  categories: {
    categories: `categories where parent_id = any(${KEYS})`,
    blogs: `titles where term_ids && array(select '${categoryTerm('')}' || id from unnest(${KEYS}) as id)`,
  },
  tags: { blogs: `titles where term_ids && array(select '${tagTerm('')}' || id from unnest(${KEYS}) as id)` },
  websites: {
    categories: `categories where ${isOfWebsites}
      or parent_id = any(array(select id from content_read.categories where ${isOfWebsites}))`,
    tags: `tags where ${isOfWebsites}`,
    blogs: `titles where ${isOfWebsites}
      or term_ids && array(${termIds(categoryTerm(''), 'categories')} union all ${termIds(tagTerm(''), 'tags')})`,
  },
};

/** A random row: two rows that both fail could otherwise always be compared with each other. */
function anotherRowOf(kind: RowKind): string {
  const { name } = WRITTEN_TABLES[kind];
  const isUnshown = `select from content_read.unshown_rows where kind = :kind and unshown_rows.id = ${name}.id`;
  const rows = `select id from content_read.${name} where not exists (${isUnshown}) and id`;
  return `select id from ((${rows} > :id order by id limit 100) union all (${rows} < :id order by id desc limit 100)) as near
    order by random() limit 1`;
}

/** Writes on the connection on which its worker became leader: see PostgresLeadership. */
export class PostgresReadModelWriter implements ReadModelWriter {
  constructor(private readonly database: Knex) {}

  async write(
    epoch: number,
    { slices, jobs, owners = [], recount = [], raisesAll = false }: ReadModelUpdate,
  ): Promise<ReadModelChange> {
    const written = this.database.transaction(async (transaction) => {
      await requireLeadership(transaction, epoch, recount.length === 0);
      const changes: ChangedRow[] = [];
      let settled = jobs.filter(({ kind }) => kind === 'finish').length;
      for (const slice of slices) {
        // A slice of unshown rows alone needs no right on the tables of their kind.
        if (slice.ids.length > 0) changes.push(...(await replaceSlice(transaction, slice)));
        settled += await replaceUnshown(transaction, slice);
      }
      // A row that moves to another organization changes twice and counts once.
      const changedRows = new Set(changes.map(({ kind, id }) => `${kind} ${id}`)).size;
      const repaired = await recountLists(transaction, recount);
      const totals = repaired.reduce((sum, part) => sum + part.totals, 0);
      await updateJobs(transaction, jobs, changedRows + totals);
      const hidden = await hideWebsites(transaction, owners, slices, changes);
      if (settled > 0) await deleteSettledHiddenWebsites(transaction);
      const organizationIds = [
        ...repaired.map(({ organizationId }) => organizationId),
        ...hidden,
        ...(raisesAll ? await allOrganizations(transaction) : []),
      ];
      const raised = await raiseGenerations(transaction, contentChanges(changes, organizationIds));
      const change = { changedRows, raised };
      return repaired.length > 0 ? { ...change, repairedTotals: repaired } : change;
    });
    return written.catch((error: unknown) => {
      throw faultOf(error) === 'kind' ? new KindFails(reasonOf(error), { cause: error }) : error;
    });
  }

  async hiddenWebsites(): Promise<readonly string[]> {
    return this.database.withSchema('content_read').from('hidden_websites').distinct().pluck('website_id');
  }

  async nextOrganizations(after: string | null, limit: number): Promise<readonly string[]> {
    const { rows }: { rows: { id: string }[] } = await this.database.raw(NEXT_ORGANIZATIONS, {
      after,
      limit,
    });
    return rows.map(({ id }) => id);
  }

  async keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]> {
    const next = `(:after::text is null or id > :after) order by id limit :limit`;
    const showing = 'keys' in scope ? SHOWING[scope.kind][kind] : undefined;
    if ('keys' in scope && showing === undefined) return [];
    const parts =
      showing === undefined
        ? [
            ...TABLES_OF[kind].map((table) => `select distinct id from content_read.${table} where ${next}`),
            `select id from content_read.unshown_rows where kind = :kind and ${next}`,
          ]
        : // By what they show: the order of ids would lead through a whole table.
          [`select id from (select id from content_read.${showing} offset 0) as showing where ${next}`];
    return this.database.transaction(async (transaction) => {
      // Without statistics, each step would read and sort the rest of each table.
      await transaction.raw(`set local ${showing === undefined ? 'enable_sort' : 'enable_seqscan'} = off`);
      const { rows }: { rows: { id: string }[] } = await transaction.raw(
        `with following as (
          select id from (${parts.map((part) => `(${part})`).join(' union ')}) as parts order by id limit :limit
        ), measured as (
          select id, sum(octet_length(id)) over (order by id rows between unbounded preceding and 1 preceding) as bytes_before
          from following
        )
        select id from measured where coalesce(bytes_before, 0) < ${KEYS_BYTES} order by id`,
        { kind, after, limit, keys: 'keys' in scope ? scope.keys : [] },
      );
      return rows.map(({ id }) => id);
    });
  }

  async anotherRow(kind: RowKind, id: string): Promise<string | null> {
    const { rows }: { rows: { id: string }[] } = await this.database.raw(anotherRowOf(kind), { kind, id });
    return rows[0]?.id ?? null;
  }

  async unshown(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    return this.#unshown.where({ kind }).whereIn('id', ids).pluck('id');
  }

  async countUnshown(kind: RowKind): Promise<number> {
    const [row] = await this.#unshown.where({ kind }).count({ total: '*' });
    return Number(row?.total);
  }

  async dueRows(limit: number): Promise<readonly DueRow[]> {
    return this.#unshown
      .whereRaw('retry_at <= clock_timestamp()')
      .orderBy('retry_at')
      .limit(limit)
      .select('kind', 'id', 'attempts');
  }

  get #unshown(): Knex.QueryBuilder {
    return this.database.withSchema('content_read').from('unshown_rows');
  }
}

/**
 * Keeps the leadership until the transaction ends, and shows that the leader is alive. Plans are
 * kept, so none may read a whole table that was small when it was made.
 */
const REQUIRE_LEADERSHIP = `
  update content_read.sync_leader set beat_at = clock_timestamp() where epoch = :epoch and backend_pid = pg_backend_pid()
  returning set_config('enable_seqscan', case when :keepsPlans then 'off' else 'on' end, true),
    set_config('plan_cache_mode', case when :keepsPlans then 'force_generic_plan' else 'auto' end, true)`;

async function requireLeadership(
  transaction: Knex.Transaction,
  epoch: number,
  keepsPlans: boolean,
): Promise<void> {
  const { rowCount }: { rowCount: number } = await transaction.raw(REQUIRE_LEADERSHIP, { epoch, keepsPlans });
  if (rowCount === 0) throw new LeadershipLost(epoch);
}
