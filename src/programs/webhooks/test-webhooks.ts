import { SystemClock } from '../../adapters/system/system-clock.js';
import { HttpWebhookSender } from '../../adapters/webhooks/http-webhook-sender.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';

/** What a message says for an endpoint of all organizations. */
const TEST_ORGANIZATION = 'test';

/** Sends one message to each endpoint. Returns whether all accepted it. */
export async function testWebhooks(
  endpoints: readonly WebhookEndpoint[],
  print: (text: string) => void,
): Promise<boolean> {
  const clock = new SystemClock();
  const sender = new HttpWebhookSender(clock);
  // Another one each time, or a receiver would recognize the message of the last test.
  const generation = clock.now() * 1_000;
  const outcomes = await Promise.all(
    endpoints.map(async (endpoint) => {
      const organizationId = endpoint.organizationId ?? TEST_ORGANIZATION;
      const message = { organizationId, generation, blogs: [], terms: false };
      return { name: endpoint.name, refusal: await sender.send(endpoint, message) };
    }),
  );
  for (const { name, refusal } of outcomes)
    print(`${name}: ${refusal === null ? 'accepted' : `failed: ${refusal.reason}`}`);
  return outcomes.every(({ refusal }) => refusal === null);
}
