import type { WebhookDelivery, WebhookEndpoint, WebhookRefusal } from '../../domain/model/webhook.js';
import { messageOf } from '../../domain/policies/webhook-message.js';
import type { WebhookDeliveries } from '../../domain/ports/sync/webhook-deliveries.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { nextAttemptAt, restAfter } from './next-attempt.js';

/** Organizations that are collected by one statement. */
const COLLECTED_AT_ONCE = 500;
/** Calls to one endpoint at a time. One that fails gets one call at a time. */
const MAX_CALLS = 4;

export interface Due {
  readonly endpoints: readonly WebhookEndpoint[];
  /** When to look again at the latest. Null: nothing else waits. */
  readonly nextInMs: number | null;
}

/** Tells endpoints of organizations whose content changed, beside the steps of the sync. */
export class TellEndpoints {
  /** Until when an endpoint that failed is not called. */
  readonly #rests = new Map<string, number>();

  constructor(
    private readonly endpoints: readonly WebhookEndpoint[],
    private readonly deliveries: WebhookDeliveries,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Before anything else in an epoch. `since` is the start of the worker. */
  begin(epoch: number, since: number): Promise<void> {
    return this.deliveries.setEndpoints(epoch, this.endpoints, since);
  }

  /** Returns the endpoints that have something due. */
  async look(epoch: number): Promise<Due> {
    const now = this.clock.now();
    const { isPartial, dueEndpointIds, nextDueAt } = await this.deliveries.collect(
      epoch,
      now,
      COLLECTED_AT_ONCE,
    );
    const endpoints = this.endpoints.filter(
      ({ id }) => dueEndpointIds.includes(id) && (this.#rests.get(id) ?? 0) <= now,
    );
    if (isPartial) return { endpoints, nextInMs: 0 };
    return { endpoints, nextInMs: nextDueAt === null ? null : nextDueAt - now };
  }

  /** Makes some of the calls that are due. Returns whether others may be. */
  async tell(epoch: number, endpoint: WebhookEndpoint): Promise<boolean> {
    const limit = this.#rests.has(endpoint.id) ? 1 : MAX_CALLS;
    const due = await this.deliveries.due(epoch, endpoint.id, this.clock.now(), limit);
    const areTold = await Promise.all(due.map((delivery) => this.#send(endpoint, delivery)));
    if (due.length === 0 || areTold.includes(false)) return false;
    if (this.#rests.delete(endpoint.id))
      this.log.info('webhooks: an endpoint answers again', { endpoint: endpoint.name });
    return true;
  }

  /** Notes an accepted message before other calls end: otherwise it would be sent again. */
  async #send(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<boolean> {
    const refusal = await this.sender.send(endpoint, messageOf(delivery));
    if (refusal === null) await this.deliveries.noteTold(delivery, this.clock.now(), endpoint.atMostEveryMs);
    else await this.#noteFailed(endpoint, delivery, refusal);
    this.metrics.count(refusal === null ? 'webhook-told' : 'webhook-failed');
    return refusal === null;
  }

  async #noteFailed(
    endpoint: WebhookEndpoint,
    delivery: WebhookDelivery,
    { reason, retryAfterMs, isGone }: WebhookRefusal,
  ): Promise<void> {
    const now = this.clock.now();
    const rest = this.#rests.get(endpoint.id);
    this.#rests.set(endpoint.id, Math.max(rest ?? 0, now + restAfter(retryAfterMs)));
    if (isGone) await this.deliveries.noteGone(endpoint);
    const nextAt = isGone ? null : nextAttemptAt(delivery, now, retryAfterMs);
    await this.deliveries.noteFailed(delivery, { reason, failedAt: now, nextAttemptAt: nextAt });
    const fields = { endpoint: endpoint.name, organizationId: delivery.organizationId, reason };
    if (isGone)
      this.log.error('webhooks: an endpoint is not called again until the file of WEBHOOKS changes', fields);
    else if (nextAt === null)
      this.log.error(
        'webhooks: an endpoint failed for a day and is told again after the next change',
        fields,
      );
    else if (rest === undefined) this.log.warn('webhooks: an endpoint fails and is told again', fields);
  }
}
