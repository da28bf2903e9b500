import type { WebhookDelivery, WebhookEndpoint, WebhookFailure } from '../../domain/model/webhook.js';
import { DEBOUNCE_MS } from '../../domain/policies/next-attempt.js';
import type { CollectedDeliveries, WebhookDeliveries } from '../../domain/ports/sync/webhook-deliveries.js';
import type { MemoryReadModel } from './memory-read-model.js';

interface StoredDelivery extends WebhookDelivery {
  /** Null: given up. */
  readonly dueAt: number | null;
}

interface StoredEndpoint {
  /** The file under which it answered 410. */
  goneIn: string | null;
  readonly organizationId: string | null;
  seenGeneration: number;
  readonly deliveries: Map<string, StoredDelivery>;
}

export class MemoryWebhookDeliveries implements WebhookDeliveries {
  readonly #endpoints = new Map<string, StoredEndpoint>();

  constructor(
    private readonly readModel: Pick<MemoryReadModel, 'lead' | 'generations' | 'newestGeneration'>,
  ) {}

  async setEndpoints(epoch: number, endpoints: readonly WebhookEndpoint[], since: number): Promise<void> {
    this.readModel.lead.require(epoch);
    const files = new Map(endpoints.map(({ id, file }) => [id, file]));
    for (const [id, { goneIn }] of this.#endpoints)
      if (!files.has(id) || (goneIn !== null && goneIn !== files.get(id))) this.#endpoints.delete(id);
    const seenGeneration = Math.min(this.readModel.newestGeneration, since * 1_000);
    for (const { id, organizationId } of endpoints) {
      if (this.#endpoints.has(id)) continue;
      this.#endpoints.set(id, { goneIn: null, organizationId, seenGeneration, deliveries: new Map() });
    }
  }

  async collect(epoch: number, now: number, limit: number): Promise<CollectedDeliveries> {
    this.readModel.lead.require(epoch);
    const called = [...this.#endpoints].filter(([, { goneIn }]) => goneIn === null);
    const dueEndpointIds = called.flatMap(([id, { deliveries }]) =>
      [...deliveries.values()].some((delivery) => isDue(delivery, now)) ? [id] : [],
    );
    const later = called.flatMap(([, { deliveries }]) =>
      [...deliveries.values()].flatMap(({ dueAt }) => (dueAt !== null && dueAt > now ? [dueAt] : [])),
    );
    const nextDueAt = later.length === 0 ? null : Math.min(...later);
    const seen = [...this.#endpoints.values()].map(({ seenGeneration }) => seenGeneration);
    const raised = [...this.readModel.generations]
      .filter(([, generation]) => generation > Math.min(...seen))
      .sort(([, one], [, other]) => one - other);
    const last = raised.slice(0, limit).at(-1)?.[1] ?? 0;
    const page = raised.filter(([, generation]) => generation <= last);
    for (const [id, endpoint] of this.#endpoints) {
      for (const [organizationId, generation] of page)
        this.#add(id, endpoint, organizationId, generation, now);
      endpoint.seenGeneration = Math.max(endpoint.seenGeneration, last);
    }
    return { isPartial: page.length >= limit, dueEndpointIds, nextDueAt };
  }

  #add(
    endpointId: string,
    endpoint: StoredEndpoint,
    organizationId: string,
    generation: number,
    now: number,
  ) {
    if (endpoint.goneIn !== null || generation <= endpoint.seenGeneration) return;
    if (endpoint.organizationId !== null && endpoint.organizationId !== organizationId) return;
    const waiting = endpoint.deliveries.get(organizationId);
    const delivery =
      waiting === undefined || waiting.dueAt === null
        ? begun({ endpointId, organizationId, generation }, now)
        : { ...waiting, generation };
    endpoint.deliveries.set(organizationId, delivery);
  }

  async due(epoch: number, endpointId: string, now: number, limit: number) {
    this.readModel.lead.require(epoch);
    return [...(this.#endpoints.get(endpointId)?.deliveries.values() ?? [])]
      .filter((delivery) => isDue(delivery, now))
      .sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0))
      .slice(0, limit)
      .map(({ dueAt, ...delivery }) => delivery);
  }

  async noteTold({ endpointId, organizationId, generation }: WebhookDelivery, now: number): Promise<void> {
    const stored = this.#endpoints.get(endpointId)?.deliveries;
    const waiting = stored?.get(organizationId);
    if (waiting === undefined) return;
    if (waiting.generation <= generation) stored?.delete(organizationId);
    else stored?.set(organizationId, begun(waiting, now));
  }

  async noteFailed(
    { endpointId, organizationId, generation }: WebhookDelivery,
    { failedAt, nextAttemptAt }: WebhookFailure,
  ): Promise<void> {
    const stored = this.#endpoints.get(endpointId)?.deliveries;
    const waiting = stored?.get(organizationId);
    if (waiting === undefined) return;
    const failed = {
      ...waiting,
      attempts: waiting.attempts + 1,
      failingSince: waiting.failingSince ?? failedAt,
      dueAt: nextAttemptAt,
    };
    const beginsAgain = nextAttemptAt === null && waiting.generation > generation;
    stored?.set(organizationId, beginsAgain ? begun(waiting, failedAt) : failed);
  }

  async noteGone({ id, file }: WebhookEndpoint): Promise<void> {
    const endpoint = this.#endpoints.get(id);
    if (endpoint !== undefined) endpoint.goneIn = file;
  }
}

function begun(
  {
    endpointId,
    organizationId,
    generation,
  }: Pick<WebhookDelivery, 'endpointId' | 'organizationId' | 'generation'>,
  now: number,
): StoredDelivery {
  // A clock that was set back does not delay the message.
  const dueAt = Math.min(generation / 1_000, now) + DEBOUNCE_MS;
  return { endpointId, organizationId, generation, attempts: 0, failingSince: null, dueAt };
}

function isDue({ dueAt }: StoredDelivery, now: number): boolean {
  return dueAt !== null && dueAt <= now;
}
