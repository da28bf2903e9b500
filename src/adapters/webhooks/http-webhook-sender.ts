import { createHash, createHmac } from 'node:crypto';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { WebhookEndpoint, WebhookMessage, WebhookRefusal } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';
import type { Clock } from '../../domain/ports/system/clock.js';

const TIME_LIMIT_MS = 15_000;
/** Responses with a status 1xx, such as Early Hints: a receiver could send them without an end. */
const MAX_INTERIM_RESPONSES = 8;

/**
 * By the scheme of Standard Webhooks. The only code of this service that sends HTTP requests: to
 * addresses that its operator has written, and wherever they redirect to nothing is sent.
 */
export class HttpWebhookSender implements WebhookSender {
  constructor(private readonly clock: Clock) {}

  async send(
    { url, secrets, headers: ownHeaders }: WebhookEndpoint,
    message: WebhookMessage,
  ): Promise<WebhookRefusal | null> {
    const body = bodyOf(message);
    const id = idOf(message);
    const timestamp = String(Math.floor(this.clock.now() / 1_000));
    try {
      const { statusCode: status = 0, headers } = await post(url, body, {
        'User-Agent': 'blog-content-read-api',
        ...ownHeaders,
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures(`${id}.${timestamp}.${body}`, secrets),
      });
      if (status >= 200 && status < 300) return null;
      const isRedirect = status >= 300 && status < 400;
      return {
        reason: `it answered ${status}${isRedirect ? ', and no redirect is followed' : ''}`,
        retryAfterMs: this.#millisecondsUntil(headers['retry-after'] ?? ''),
        isGone: status === 410,
      };
    } catch (error) {
      return { reason: reasonOf(error), retryAfterMs: 0, isGone: false };
    }
  }

  /** `retryAfter`: seconds or a date. 0 for anything else. */
  #millisecondsUntil(retryAfter: string): number {
    const isSeconds = /^\d+$/.test(retryAfter);
    const milliseconds = isSeconds ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - this.clock.now();
    return Math.max(milliseconds || 0, 0);
  }
}

/** Resolves as soon as the status is there: nothing else of the answer is read. */
function post(url: string, body: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  const open = new URL(url).protocol === 'https:' ? https.request : http.request;
  const request = open(url, { method: 'POST', headers, agent: false });
  return new Promise<IncomingMessage>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(reason));
    const timer = setTimeout(() => fail(`no answer within ${TIME_LIMIT_MS / 1_000} s`), TIME_LIMIT_MS);
    request.on('response', resolve).on('error', reject);
    request.on('close', () => {
      clearTimeout(timer);
      fail('the connection was closed without an answer');
    });
    let interimResponses = 0;
    request.on('information', () => {
      if (++interimResponses > MAX_INTERIM_RESPONSES) fail('it answered 1xx again and again');
    });
    request.end(body);
  }).finally(() => request.destroy());
}

/** The body of a message, the same for each attempt. */
function bodyOf(data: WebhookMessage): string {
  // A generation is a time in microseconds.
  const timestamp = new Date(data.generation / 1_000).toISOString();
  return JSON.stringify({ type: 'content.published', timestamp, data });
}

/** The same for each attempt, by which a receiver recognizes what it has already accepted. */
function idOf({ organizationId, generation }: WebhookMessage): string {
  return `msg_${createHash('sha256').update(`${generation} ${organizationId}`).digest('base64url').slice(0, 27)}`;
}

function signatures(content: string, secrets: readonly Uint8Array[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
    .join(' ');
}
