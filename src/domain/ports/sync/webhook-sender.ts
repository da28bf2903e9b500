import type { WebhookEndpoint, WebhookMessage, WebhookRefusal } from '../../model/webhook.js';

/** Tells an endpoint once, in a limited time. */
export interface WebhookSender {
  /** Null: it is accepted. Whatever fails is a refusal, and nothing in its reason is secret. */
  send(endpoint: WebhookEndpoint, message: WebhookMessage): Promise<WebhookRefusal | null>;
}
