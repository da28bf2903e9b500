import type { WebhookDelivery, WebhookEndpoint } from '../../domain/model/webhook.js';
import { nextAttemptAt } from '../../domain/policies/next-attempt.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { WebhookDeliveries } from '../../domain/ports/sync/webhook-deliveries.js';
import type { WebhookSender } from '../../domain/ports/sync/webhook-sender.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';

/** Organizations that are collected by one statement. */
const COLLECTED_AT_ONCE = 500;
/** Calls to one endpoint at a time. One that fails gets one call at a time. */
const MAX_CALLS = 4;

export interface Due {
  readonly endpoints: readonly WebhookEndpoint[];
  /** When to look again at the latest. Null: nothing else waits. */
  readonly nextInMs: number | null;
}

/** Tells endpoints of organizations that were raised, beside the steps of the sync. */
export class TellEndpoints {
  readonly #failing = new Set<string>();

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
    const endpoints = this.endpoints.filter(({ id }) => dueEndpointIds.includes(id));
    if (isPartial) return { endpoints, nextInMs: 0 };
    return { endpoints, nextInMs: nextDueAt === null ? null : nextDueAt - now };
  }

  /** Makes some of the calls that are due. */
  async tell(epoch: number, endpoint: WebhookEndpoint): Promise<'nothing is due' | 'told' | 'failed'> {
    const limit = this.#failing.has(endpoint.id) ? 1 : MAX_CALLS;
    const due = await this.deliveries.due(epoch, endpoint.id, this.clock.now(), limit);
    if (due.length === 0) return 'nothing is due';
    const outcomes = await Promise.all(due.map((delivery) => this.#send(endpoint, delivery)));
    if (outcomes.includes('failed')) return 'failed';
    if (this.#failing.delete(endpoint.id))
      this.log.info('webhooks: an endpoint answers again', nameOf(endpoint));
    return 'told';
  }

  /** What is told is noted before other calls end, since it is told again otherwise. */
  async #send(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<'told' | 'failed'> {
    try {
      await this.sender.send(endpoint, delivery);
    } catch (error) {
      await this.#noteFailed(endpoint, delivery, error);
      return 'failed';
    }
    await this.deliveries.noteTold(delivery, this.clock.now());
    this.metrics.count('webhook-told');
    return 'told';
  }

  async #noteFailed(endpoint: WebhookEndpoint, delivery: WebhookDelivery, error: unknown): Promise<void> {
    const now = this.clock.now();
    const reason = reasonOf(error);
    const nextAt = nextAttemptAt(delivery.attempts + 1, delivery.failingSince ?? now, now);
    await this.deliveries.noteFailed(delivery, { reason, failedAt: now, nextAttemptAt: nextAt });
    this.metrics.count('webhook-failed');
    const isFirst = !this.#failing.has(endpoint.id);
    this.#failing.add(endpoint.id);
    const { organizationId } = delivery;
    if (nextAt === null)
      this.log.error('webhooks: an endpoint failed for a day and is told again after the next change', {
        ...nameOf(endpoint),
        organizationId,
        reason,
      });
    else if (isFirst)
      this.log.warn('webhooks: an endpoint fails and is told again', { ...nameOf(endpoint), reason });
  }
}

function nameOf({ name }: WebhookEndpoint) {
  return { endpoint: name };
}
