import * as mocha from 'mocha';
import { HttpWebhookSender } from '../../src/adapters/webhooks/http-webhook-sender.js';
import { MemoryWebhookSender } from '../../src/contracts/fakes/memory-webhook-sender.js';
import { webhookSenderContract } from '../../src/contracts/sync/webhook-sender.contract.js';
import type { WebhookMessage } from '../../src/domain/model/webhook.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { Receiver } from '../support/webhooks/receiver.js';

webhookSenderContract(mocha, MemoryWebhookSender, async () => {
  const received: WebhookMessage[] = [];
  const receive = (url: string, message: WebhookMessage) => {
    if (url === 'refusing') return { reason: 'refused', retryAfterMs: 0, isGone: false };
    received.push(message);
    return null;
  };
  const subject = new MemoryWebhookSender(receive);
  return { subject, accepting: 'accepting', received: () => received, refusing: 'refusing' };
});

describe('Over HTTP,', () => {
  const receivers: Receiver[] = [];

  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  });

  webhookSenderContract(mocha, HttpWebhookSender, async () => {
    const [accepting, refusing] = [await Receiver.start(), await Receiver.start()];
    receivers.push(accepting, refusing);
    refusing.answer = (response) => response.writeHead(500).end();
    const subject = new HttpWebhookSender(new SettableClock());
    return { subject, accepting: accepting.url, received: () => accepting.messages, refusing: refusing.url };
  });
});
