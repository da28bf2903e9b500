import { SystemClock } from '../../adapters/system/system-clock.js';
import { HttpWebhookSender } from '../../adapters/webhooks/http-webhook-sender.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';

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
      try {
        await sender.send(endpoint, { organizationId, generation });
        return { name: endpoint.name, reason: null };
      } catch (error) {
        return { name: endpoint.name, reason: reasonOf(error) };
      }
    }),
  );
  for (const { name, reason } of outcomes)
    print(`${name}: ${reason === null ? 'accepted' : `failed: ${reason}`}`);
  return outcomes.every(({ reason }) => reason === null);
}
