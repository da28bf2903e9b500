import type { WebhookEndpoint, WebhookMessage } from '../../domain/model/webhook.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';

/** `receive` throws to refuse a message. */
export class MemoryWebhookSender implements WebhookSender {
  constructor(private readonly receive: (url: string, message: WebhookMessage) => Promise<void> | void) {}

  async send({ url }: WebhookEndpoint, { organizationId, generation }: WebhookMessage): Promise<void> {
    await this.receive(url, { organizationId, generation });
  }
}
