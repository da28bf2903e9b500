import { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import { PostgresWebhookDeliveries } from '../adapters/postgres/write/postgres-webhook-deliveries.js';
import { SystemClock } from '../adapters/system/system-clock.js';
import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.js';
import type { WebhookEndpoint } from '../domain/model/webhook.js';
import type { Log } from '../domain/ports/system/log.js';
import type { Metrics } from '../domain/ports/system/metrics.js';
import { TellEndpoints } from '../domain/sync/tell-endpoints.js';

/** The name of its sessions in the read database. */
const NAME = 'blog-read-api webhooks';

/** Discarded after any failure. */
export interface WebhookSession {
  readonly steps: TellEndpoints;
  close(): Promise<void>;
}

/** On a connection beside the session of the sync, which never waits for it. */
export function openWebhookSession(
  endpoints: readonly WebhookEndpoint[],
  readDatabaseUrl: string,
  metrics: Metrics,
  log: Log,
): WebhookSession {
  const connection = new WorkerConnection(readDatabaseUrl, NAME, true);
  const clock = new SystemClock();
  const deliveries = new PostgresWebhookDeliveries(connection.database);
  const sender = new HttpWebhookSender(clock);
  return {
    steps: new TellEndpoints(endpoints, deliveries, sender, clock, metrics, log),
    close: () => connection.close(),
  };
}
