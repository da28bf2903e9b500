import type { ContentChange } from '../../../domain/model/webhook.js';
import { fewChanges, MAX_CHANGES } from '../../../domain/policies/webhook-message.js';
import type { ChangedRow } from './replace-slice.js';

/** `fewChanges` in SQL. */
export const fewIn = (changes: string) => `
  case when jsonb_array_length(${changes}) <= ${MAX_CHANGES} then ${changes} else (
    select jsonb_agg(jsonb_build_object('kind', 'everything', 'websiteId', website, 'generation', generation)) from (
      select change -> 'websiteId' as website, max((change ->> 'generation')::bigint) as generation
      from jsonb_array_elements(${changes}) as change group by 1) as websites) end`;

/** Notes the changes of `asked`, but only of organizations of which an endpoint is told. */
export const NOTE_CHANGES = `
  insert into content_read.webhook_changes as waiting (organization_id, generation, changes)
  select organization_id, generation, (
    select jsonb_agg(change || jsonb_build_object('generation', generation)) from jsonb_array_elements(changes) as change)
  from asked where changes <> '[]' and exists (select from content_read.webhook_endpoints as endpoint
    where coalesce(endpoint.organization_id = asked.organization_id, true))
  on conflict (organization_id) do update set generation = excluded.generation, changes = ${fewIn('waiting.changes || excluded.changes')}`;

const EVERYTHING: ContentChange = { kind: 'everything', websiteId: null };

/** Of each organization of these rows, and of those in which anything may have changed. */
export function contentChanges(
  rows: readonly ChangedRow[],
  organizationIds: readonly string[],
): ReadonlyMap<string, readonly ContentChange[]> {
  const changes = new Map<string, Map<string, ContentChange>>();
  const note = (organizationId: string, change: ContentChange | null) => {
    const noted = changes.get(organizationId) ?? new Map<string, ContentChange>();
    if (change !== null) noted.set(JSON.stringify(change), change);
    changes.set(organizationId, noted);
  };
  const blogIds = new Set(
    rows.flatMap(({ kind, id, slug }) => (kind === 'blogs' && slug !== null ? id : [])),
  );
  for (const row of rows) {
    // What other tables have of a blog is shown with it; nobody is told of keys.
    const isTold = row.kind !== 'apiKeys' && (row.slug !== null || !blogIds.has(row.id));
    note(row.organizationId, isTold ? changeOf(row) : null);
  }
  for (const organizationId of organizationIds) note(organizationId, EVERYTHING);
  return new Map([...changes].map(([id, noted]) => [id, fewChanges([...noted.values()])]));
}

function changeOf({ kind, id, slug, websiteId }: ChangedRow): ContentChange {
  if (websiteId === null || slug === null) return EVERYTHING;
  return kind === 'blogs' ? { kind: 'blog', id, slug, websiteId } : { kind: 'terms', websiteId };
}
