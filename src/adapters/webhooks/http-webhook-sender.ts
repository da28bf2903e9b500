import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { WebhookEndpoint, WebhookMessage } from '../../domain/model/webhook.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';
import type { Clock } from '../../domain/ports/system/clock.js';

const TIME_LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 1_024;
/** Of status 1xx, such as Early Hints. They would be read without an end. */
const MAX_INTERIM_RESPONSES = 8;

/**
 * By the scheme of Standard Webhooks. The only code of this service that sends HTTP requests: to
 * addresses that its operator has written, and wherever they redirect to nothing is sent.
 */
export class HttpWebhookSender implements WebhookSender {
  constructor(private readonly clock: Clock) {}

  async send({ url, secrets }: WebhookEndpoint, message: WebhookMessage): Promise<void> {
    const body = bodyOf(message);
    const id = idOf(message);
    const timestamp = String(Math.floor(this.clock.now() / 1_000));
    const status = await post(url, body, {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'User-Agent': 'blog-content-read-api',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures(`${id}.${timestamp}.${body}`, secrets),
    });
    if (status >= 200 && status < 300) return;
    const isRedirect = status >= 300 && status < 400;
    throw new Error(`it answered ${status}${isRedirect ? ', and no redirect is followed' : ''}`);
  }
}

/** Returns the status. The limit includes the time to connect, and to read what is read. */
function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const open = new URL(url).protocol === 'https:' ? https.request : http.request;
    const request = open(url, { method: 'POST', headers, agent: false });
    let status: number | null = null;
    /** Only the first call has an effect on the result. */
    const end = (error: Error | null) => {
      clearTimeout(timer);
      request.destroy();
      if (status === null) reject(error);
      else resolve(status);
    };
    const timer = setTimeout(
      () => end(new Error(`no answer within ${TIME_LIMIT_MS / 1_000} s`)),
      TIME_LIMIT_MS,
    );
    request.on('error', end);
    request.on('close', () => end(new Error('the connection was closed without an answer')));
    let interimResponses = 0;
    request.on('information', () => {
      interimResponses++;
      if (interimResponses > MAX_INTERIM_RESPONSES) end(new Error('it answered 1xx again and again'));
    });
    request.on('response', (response) => {
      status = response.statusCode ?? null;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) end(null);
      });
      response.on('end', () => end(null));
      response.on('error', end);
    });
    request.end(body);
  });
}

/** The same for each attempt. */
function bodyOf({ organizationId, generation }: WebhookMessage): string {
  // A generation is a time in microseconds.
  const timestamp = new Date(generation / 1_000).toISOString();
  return JSON.stringify({ type: 'content.published', timestamp, data: { organizationId, generation } });
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
