import { expect } from 'chai';
import type { WebhookEndpoint, WebhookMessage } from '../../domain/model/webhook.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';

const BLOG = { id: 'blog "1"', slug: 'ü-🎈', websiteId: 'web' };

export interface WebhookSenderSubject {
  readonly subject: WebhookSender;
  /** The URL of a receiver that accepts everything, and its messages so far. */
  readonly accepting: string;
  received(): readonly WebhookMessage[];
  /** The URL of a receiver that accepts nothing. */
  readonly refusing: string;
}

export function webhookSenderContract(
  runner: Runner,
  Adapter: AdapterClass<WebhookSender>,
  makeSubject: () => Promise<WebhookSenderSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, which sends webhooks,`, () => {
    let sender: WebhookSender;
    let accepting: string;
    let received: WebhookSenderSubject['received'];
    let refusing: string;

    beforeEach(async () => {
      ({ subject: sender, accepting, received, refusing } = await makeSubject());
    });

    itIsTestedItself(runner, Adapter, () => sender);

    it('sends each message once, as it is', async () => {
      const messages = [
        { organizationId: freshId('org'), generation: 1_785_000_000_123_456, blogs: null, terms: true },
        { organizationId: 'a "b" \\ ü 🎈\n', generation: 1, blogs: [BLOG], terms: false },
      ];
      for (const message of messages)
        expect(await sender.send(endpointOn(accepting), message)).to.equal(null);
      expect(received()).to.deep.equal(messages);
    });

    it('has a reason if the endpoint does not accept it', async () => {
      const message = { organizationId: freshId('org'), generation: 1, blogs: [], terms: false };
      const refusal = await sender.send(endpointOn(refusing), message);
      expect(refusal).to.include({ retryAfterMs: 0, isGone: false });
      expect(refusal?.reason).not.to.equal('');
    });
  });
}

function endpointOn(url: string): WebhookEndpoint {
  return {
    id: freshId('endpoint'),
    name: 'receiver',
    url,
    organizationId: null,
    websiteId: null,
    secrets: [new Uint8Array([1])],
    headers: {},
    atMostEveryMs: 0,
    file: 'file',
  };
}
