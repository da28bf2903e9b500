import type { WebhookEndpoint, WebhookMessage, WebhookRefusal } from '../../domain/model/webhook.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';

type Answer = WebhookRefusal | null;

export class MemoryWebhookSender implements WebhookSender {
  constructor(private readonly receive: (url: string, message: WebhookMessage) => Promise<Answer> | Answer) {}

  async send({ url }: WebhookEndpoint, message: WebhookMessage): Promise<Answer> {
    return this.receive(url, message);
  }
}
