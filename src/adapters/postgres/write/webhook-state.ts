import type { Knex } from 'knex';
import type { WebhookEndpoint } from '../../../domain/model/webhook.js';

/** An endpoint that does not accept what it is told. */
export interface FailingEndpoint {
  readonly endpoint: string;
  readonly organizations: number;
  readonly failingSince: Date;
  /** Of one of them. */
  readonly reason: string;
}

/** Of these endpoints, those that have failed longest first. */
export async function failingEndpoints(
  database: Knex,
  endpoints: readonly WebhookEndpoint[],
): Promise<readonly FailingEndpoint[]> {
  if (endpoints.length === 0) return [];
  const ids = endpoints.map(({ id }) => id);
  const { rows }: { rows: FailingEndpoint[] } = await database.raw(
    `
    select endpoint.name as endpoint, count(*)::int as organizations, min(failing_since) as "failingSince", max(reason) as reason
    from content_read.webhook_deliveries join content_read.webhook_endpoints as endpoint on endpoint.id = endpoint_id
    where attempts > 0 and endpoint_id = any(?::text[]) group by endpoint.id order by min(failing_since)`,
    [ids],
  );
  return rows;
}
