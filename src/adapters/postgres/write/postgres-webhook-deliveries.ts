import type { Knex } from 'knex';
import { LeadershipLost } from '../../../domain/errors.js';
import type { WebhookDelivery, WebhookEndpoint, WebhookFailure } from '../../../domain/model/webhook.js';
import type {
  CollectedDeliveries,
  WebhookDeliveries,
} from '../../../domain/ports/sync/webhook-deliveries.js';
import { DEBOUNCE_MS } from '../../../domain/ports/sync/webhook-deliveries.js';
import { fewIn } from './content-changes.js';

/** A clock that was set back does not delay the message. */
const firstAttemptOf = (generation: string) =>
  `least(to_timestamp(${generation} / 1e6), to_timestamp(:now / 1e3)) + ${DEBOUNCE_MS} * interval '1 millisecond'`;

const KEEP_ENDPOINTS = `
  update content_read.webhook_endpoints as stored set name = wanted.name
  from unnest(:ids::text[], :names::text[]) as wanted (id, name) where stored.id = wanted.id`;

/** A new endpoint is told that everything may have changed: the writer noted no changes for it. */
const ADD_ENDPOINTS = `
  with added as (
    insert into content_read.webhook_endpoints (id, organization_id, website_id, name, since_generation)
    select id, organization_id, website_id, name, (select coalesce(max(generation), 0) from content_read.organizations)
    from unnest(:ids::text[], :organizationIds::text[], :websiteIds::text[], :names::text[]) as wanted (id, organization_id, website_id, name)
    on conflict (id) do nothing returning id, organization_id
  )
  insert into content_read.webhook_deliveries (endpoint_id, organization_id, generation, changes, due_at)
  select added.id, raised.organization_id, generation,
    jsonb_build_array(jsonb_build_object('kind', 'everything', 'websiteId', null, 'generation', generation)), ${firstAttemptOf('generation')}
  from added join content_read.organizations as raised on coalesce(added.organization_id = raised.organization_id, true)
  where generation > :since::numeric * 1000`;

/** Rows that the writer has locked are collected later. */
const COLLECT = `
  with leader as (
    select from content_read.sync_leader where epoch = :epoch
  ), page as (
    delete from content_read.webhook_changes where organization_id in (
      select organization_id from content_read.webhook_changes where exists (select from leader)
      order by organization_id limit :limit for update skip locked)
    returning organization_id, generation, changes
  ), added as (
    insert into content_read.webhook_deliveries as waiting (endpoint_id, organization_id, generation, changes, due_at)
    select endpoint.id, page.organization_id, page.generation, concerning.changes, ${firstAttemptOf('page.generation')}
    from page join content_read.webhook_endpoints as endpoint on page.generation > since_generation
      and coalesce(endpoint.organization_id = page.organization_id, true)
    cross join lateral (
      select jsonb_agg(change) as changes from jsonb_array_elements(page.changes) as change
      where coalesce(endpoint.website_id = change ->> 'websiteId', true)
    ) as concerning
    where concerning.changes is not null
    on conflict (endpoint_id, organization_id) do update set generation = excluded.generation,
      changes = ${fewIn('waiting.changes || excluded.changes')},
      due_at = coalesce(waiting.due_at, greatest(excluded.due_at, waiting.not_before)),
      attempts = case when waiting.due_at is null then 0 else waiting.attempts end,
      failing_since = case when waiting.due_at is null then null else waiting.failing_since end
  )
  select (select count(*) from leader)::int as leaders, (select count(*) from page)::int as collected, array(
    select endpoint.id from content_read.webhook_endpoints as endpoint
    where gone_in is null and exists (select from content_read.webhook_deliveries where endpoint_id = endpoint.id and due_at <= to_timestamp(:now / 1e3))
  ) as due, (
    select extract(epoch from min(next.due_at))::float8 * 1e3
    from content_read.webhook_endpoints as endpoint cross join lateral (
      select min(due_at) as due_at from content_read.webhook_deliveries where endpoint_id = endpoint.id and due_at > to_timestamp(:now / 1e3)
    ) as next where gone_in is null
  ) as next`;

interface Collected {
  readonly leaders: number;
  readonly collected: number;
  readonly due: readonly string[];
  readonly next: number | null;
}

const DUE = `
  select organization_id as "organizationId", generation::float8 as generation, changes, attempts,
    extract(epoch from failing_since)::float8 * 1e3 as "failingSince"
  from content_read.webhook_deliveries
  where endpoint_id = :endpointId and due_at <= to_timestamp(:now / 1e3)
  order by due_at limit :limit`;

const IS_IT = 'endpoint_id = :endpointId and organization_id = :organizationId';

/** As if nothing had been sent. */
const BEGIN_AGAIN = `
  update content_read.webhook_deliveries
  set due_at = ${firstAttemptOf('generation')}, attempts = 0, failing_since = null, reason = null
  where ${IS_IT} and generation > :generation`;

const NOTE_TOLD = `
  with deleted as (
    delete from content_read.webhook_deliveries where ${IS_IT} and generation <= :generation and :notBefore::float8 is null
  )
  update content_read.webhook_deliveries
  set due_at = case when generation > :generation then greatest(${firstAttemptOf('generation')}, to_timestamp(:notBefore / 1e3)) end,
    not_before = to_timestamp(:notBefore / 1e3), attempts = 0, failing_since = null, reason = null, changes = array_to_json(array(
      select change from jsonb_array_elements(changes) as change where (change ->> 'generation')::bigint > :generation))::jsonb
  where ${IS_IT} and (generation > :generation or :notBefore::float8 is not null)`;

const NOTE_GIVEN_UP = `
  with begun as (${BEGIN_AGAIN})
  update content_read.webhook_deliveries
  set attempts = attempts + 1, due_at = null, reason = :reason
  where ${IS_IT} and generation <= :generation`;

const NOTE_FAILED = `
  update content_read.webhook_deliveries
  set attempts = attempts + 1, failing_since = coalesce(failing_since, to_timestamp(:now / 1e3)),
    due_at = to_timestamp(:nextAttemptAt / 1e3), reason = :reason
  where ${IS_IT}`;

/** On a connection beside the leader's, so that no step of the sync waits for it. */
export class PostgresWebhookDeliveries implements WebhookDeliveries {
  constructor(private readonly database: Knex) {}

  async setEndpoints(epoch: number, endpoints: readonly WebhookEndpoint[], since: number): Promise<void> {
    const ids = endpoints.map(({ id }) => id);
    await this.database.transaction(async (transaction) => {
      // Without a writer: one that runs does not know the endpoints, and is waited for.
      await requireEpoch(transaction, epoch, 'for share');
      const table = (name: string) => transaction.withSchema('content_read').from(name);
      const files = endpoints.map(({ file }) => file);
      await table('webhook_endpoints').whereNotIn('id', ids).orWhereNotIn('gone_in', files).delete();
      const kept = table('webhook_endpoints').select('id');
      await table('webhook_deliveries').whereNotIn('endpoint_id', kept).delete();
      const names = endpoints.map(({ name }) => name);
      await transaction.raw(KEEP_ENDPOINTS, { ids, names });
      await transaction.raw(ADD_ENDPOINTS, {
        ids,
        organizationIds: endpoints.map(({ organizationId }) => organizationId),
        websiteIds: endpoints.map(({ websiteId }) => websiteId),
        names,
        since,
        now: since,
      });
    });
  }

  async collect(epoch: number, now: number, limit: number): Promise<CollectedDeliveries> {
    const { rows }: { rows: Collected[] } = await this.database
      .raw(COLLECT, { epoch, now, limit })
      .options({ name: 'content_read_collect_deliveries' });
    const { leaders = 0, collected = 0, due = [], next = null } = rows[0] ?? {};
    if (leaders === 0) throw new LeadershipLost(epoch);
    return { isPartial: collected >= limit, dueEndpointIds: due, nextDueAt: next };
  }

  async due(
    epoch: number,
    endpointId: string,
    now: number,
    limit: number,
  ): Promise<readonly WebhookDelivery[]> {
    await requireEpoch(this.database, epoch);
    const { rows }: { rows: Omit<WebhookDelivery, 'endpointId'>[] } = await this.database.raw(DUE, {
      endpointId,
      now,
      limit,
    });
    return rows.map((row) => ({ endpointId, ...row }));
  }

  async noteTold(delivery: WebhookDelivery, now: number, restMs: number): Promise<void> {
    const notBefore = restMs === 0 ? null : now + restMs;
    await this.database.raw(NOTE_TOLD, { ...delivery, now, notBefore });
  }

  async noteFailed(
    delivery: WebhookDelivery,
    { reason, failedAt, nextAttemptAt }: WebhookFailure,
  ): Promise<void> {
    const failure = { ...delivery, reason, now: failedAt };
    if (nextAttemptAt === null) await this.database.raw(NOTE_GIVEN_UP, failure);
    else await this.database.raw(NOTE_FAILED, { ...failure, nextAttemptAt });
  }

  async noteGone({ id, file }: WebhookEndpoint): Promise<void> {
    await this.database.raw('update content_read.webhook_endpoints set gone_in = ? where id = ?', [file, id]);
  }
}

async function requireEpoch(database: Knex, epoch: number, lock = ''): Promise<void> {
  const { rows } = await database.raw(`select from content_read.sync_leader where epoch = ? ${lock}`, [
    epoch,
  ]);
  if (rows.length === 0) throw new LeadershipLost(epoch);
}
