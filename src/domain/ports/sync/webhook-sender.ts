import type { WebhookEndpoint, WebhookMessage } from '../../model/webhook.js';

/** Tells an endpoint once, in a limited time. */
export interface WebhookSender {
  /**
   * Rejects with the reason, in which nothing is secret, unless the endpoint accepts the message.
   */
  send(endpoint: WebhookEndpoint, message: WebhookMessage): Promise<void>;
}
