import type { ContentChange } from '../../../domain/model/webhook.js';
import { fewChanges, MAX_CHANGES } from '../../../domain/policies/webhook-message.js';
import type { ChangedRow } from './replace-slice.js';

/** `fewChanges` in SQL. */
export const fewIn = (changes: string) => `
  case when jsonb_array_length(${changes}) <= ${MAX_CHANGES} then ${changes} else (
    select jsonb_agg(jsonb_build_object('kind', 'everything', 'websiteId', website, 'generation', generation)) from (
      select change -> 'websiteId' as website, max((change ->> 'generation')::bigint) as generation
      from jsonb_array_elements(${changes}) as change group by 1) as websites) end`;

/** Of what `raised` has. Costs a row only if an endpoint is told of it. */
export const NOTE_CHANGES = `
  insert into content_read.webhook_changes as waiting (organization_id, generation, changes)
  select organization_id, generation, jsonb_agg(change || jsonb_build_object('generation', generation))
  from raised join json_to_recordset(:changes::json) as noted ("organizationId" text, change jsonb) on "organizationId" = organization_id
  where exists (select from content_read.webhook_endpoints as endpoint
    where coalesce(endpoint.organization_id = raised.organization_id, true))
  group by 1, 2
  on conflict (organization_id) do update set generation = excluded.generation, changes = ${fewIn('waiting.changes || excluded.changes')}`;

const EVERYTHING: ContentChange = { kind: 'everything', websiteId: null };

export interface NotedChange {
  readonly organizationId: string;
  readonly change: ContentChange;
}

/** What endpoints are told of these rows: nothing of keys. */
export function contentChanges(rows: readonly ChangedRow[]): readonly NotedChange[] {
  const blogIds = new Set(
    rows.flatMap(({ kind, id, slug }) => (kind === 'blogs' && slug !== null ? id : [])),
  );
  const changes = new Map<string, Map<string, ContentChange>>();
  for (const row of rows) {
    const isNamed = row.kind !== 'blogs' || row.slug !== null;
    if (row.kind === 'apiKeys' || (!isNamed && blogIds.has(row.id))) continue;
    const change = changeOf(row);
    const ofOrganization = changes.get(row.organizationId) ?? new Map<string, ContentChange>();
    changes.set(row.organizationId, ofOrganization.set(JSON.stringify(change), change));
  }
  return [...changes].flatMap(([organizationId, ofOrganization]) =>
    fewChanges([...ofOrganization.values()]).map((change) => ({ organizationId, change })),
  );
}

/** Of an organization in which anything may have changed. */
export function unknownChange(organizationId: string): NotedChange {
  return { organizationId, change: EVERYTHING };
}

function changeOf({ kind, id, slug, websiteId }: ChangedRow): ContentChange {
  if (websiteId === null || slug === null) return EVERYTHING;
  return kind === 'blogs' ? { kind: 'blog', id, slug, websiteId } : { kind: 'terms', websiteId };
}
