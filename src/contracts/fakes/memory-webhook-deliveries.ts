import type { WebhookDelivery, WebhookEndpoint, WebhookFailure } from '../../domain/model/webhook.js';
import type { CollectedDeliveries, WebhookDeliveries } from '../../domain/ports/sync/webhook-deliveries.js';
import { DEBOUNCE_MS } from '../../domain/ports/sync/webhook-deliveries.js';
import { few, type MemoryReadModel, type NotedChange } from './memory-read-model.js';

interface StoredDelivery {
  readonly generation: number;
  readonly noted: readonly NotedChange[];
  readonly attempts: number;
  readonly failingSince: number | null;
  /** Null: given up, or all is told. */
  readonly dueAt: number | null;
  readonly notBefore: number;
}

interface StoredEndpoint {
  /** The file under which it answered 410. */
  goneIn: string | null;
  readonly organizationId: string | null;
  readonly websiteId: string | null;
  readonly sinceGeneration: number;
  readonly deliveries: Map<string, StoredDelivery>;
}

export class MemoryWebhookDeliveries implements WebhookDeliveries {
  readonly #endpoints = new Map<string, StoredEndpoint>();

  constructor(private readonly readModel: MemoryReadModel) {
    readModel.isTold = (organizationId) =>
      [...this.#endpoints.values()].some(
        (endpoint) => (endpoint.organizationId ?? organizationId) === organizationId,
      );
  }

  async setEndpoints(epoch: number, endpoints: readonly WebhookEndpoint[], since: number): Promise<void> {
    this.readModel.lead.require(epoch);
    const files = new Map(endpoints.map(({ id, file }) => [id, file]));
    for (const [id, { goneIn }] of this.#endpoints)
      if (!files.has(id) || (goneIn !== null && goneIn !== files.get(id))) this.#endpoints.delete(id);
    const sinceGeneration = this.readModel.newestGeneration;
    for (const { id, organizationId, websiteId } of endpoints) {
      if (this.#endpoints.has(id)) continue;
      const endpoint = { goneIn: null, organizationId, websiteId, sinceGeneration, deliveries: new Map() };
      this.#endpoints.set(id, endpoint);
      for (const [raised, generation] of this.readModel.generations) {
        if (generation <= since * 1_000 || (organizationId ?? raised) !== raised) continue;
        const change = { kind: 'everything', websiteId: null } as const;
        add(endpoint, raised, [{ generation, change }], since);
      }
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
    const page = [...this.readModel.noted].slice(0, limit);
    for (const [organizationId, noted] of page) {
      this.readModel.noted.delete(organizationId);
      for (const endpoint of this.#endpoints.values()) {
        if ((endpoint.organizationId ?? organizationId) !== organizationId) continue;
        if (newestOf(noted) <= endpoint.sinceGeneration) continue;
        const concerning = noted.filter(
          ({ change: { websiteId } }) =>
            websiteId === null || (endpoint.websiteId ?? websiteId) === websiteId,
        );
        if (concerning.length > 0) add(endpoint, organizationId, concerning, now);
      }
    }
    return { isPartial: page.length >= limit, dueEndpointIds, nextDueAt };
  }

  async due(
    epoch: number,
    endpointId: string,
    now: number,
    limit: number,
  ): Promise<readonly WebhookDelivery[]> {
    this.readModel.lead.require(epoch);
    return [...(this.#endpoints.get(endpointId)?.deliveries ?? [])]
      .filter(([, delivery]) => isDue(delivery, now))
      .sort(([, one], [, other]) => (one.dueAt ?? 0) - (other.dueAt ?? 0))
      .slice(0, limit)
      .map(([organizationId, { generation, noted, attempts, failingSince }]) => {
        const changes = noted.map(({ change }) => change);
        return { endpointId, organizationId, generation, changes, attempts, failingSince };
      });
  }

  async noteTold({ endpointId, organizationId, generation }: WebhookDelivery, now: number, restMs: number) {
    const stored = this.#endpoints.get(endpointId)?.deliveries;
    const waiting = stored?.get(organizationId);
    if (waiting === undefined) return;
    const notBefore = restMs === 0 ? 0 : now + restMs;
    const noted = waiting.noted.filter((change) => change.generation > generation);
    const isNewer = waiting.generation > generation;
    if (!isNewer && restMs === 0) stored?.delete(organizationId);
    else stored?.set(organizationId, begun({ ...waiting, noted, notBefore }, isNewer ? now : null));
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

function add(
  { deliveries }: StoredEndpoint,
  organizationId: string,
  added: readonly NotedChange[],
  now: number,
): void {
  const waiting = deliveries.get(organizationId);
  const noted = few([...(waiting?.noted ?? []), ...added]);
  const delivery = { generation: newestOf(added), noted, notBefore: waiting?.notBefore ?? 0 };
  const isWaiting = waiting !== undefined && waiting.dueAt !== null;
  deliveries.set(organizationId, isWaiting ? { ...waiting, ...delivery } : begun(delivery, now));
}

/** Null: all of it is told. */
function begun(
  { generation, noted, notBefore }: Pick<StoredDelivery, 'generation' | 'noted' | 'notBefore'>,
  now: number | null,
): StoredDelivery {
  // A clock that was set back does not delay the message.
  const dueAt = now === null ? null : Math.max(Math.min(generation / 1_000, now) + DEBOUNCE_MS, notBefore);
  return { generation, noted, notBefore, attempts: 0, failingSince: null, dueAt };
}

function newestOf(noted: readonly NotedChange[]): number {
  return Math.max(...noted.map(({ generation }) => generation));
}

function isDue({ dueAt }: StoredDelivery, now: number): boolean {
  return dueAt !== null && dueAt <= now;
}
