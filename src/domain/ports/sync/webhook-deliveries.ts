import type { WebhookDelivery, WebhookEndpoint, WebhookFailure } from '../../model/webhook.js';

export interface CollectedDeliveries {
  /** Whether more was raised than was collected. */
  readonly isPartial: boolean;
  /** The endpoints that have a delivery that is due, of those that were collected before. */
  readonly dueEndpointIds: readonly string[];
  /** When another one will be. Null: none waits. */
  readonly nextDueAt: number | null;
}

/**
 * What endpoints are still to be told, stored beside the generations. A method with an `epoch`
 * throws `LeadershipLost` and changes nothing if it is over.
 */
export interface WebhookDeliveries {
  /**
   * Forgets all others, and those that are gone since another file. New ones are told of what was
   * raised since this time.
   */
  setEndpoints(epoch: number, endpoints: readonly WebhookEndpoint[], since: number): Promise<void>;
  /**
   * Adds a delivery for each endpoint and organization of some `limit` raised ones, oldest first,
   * or gives a waiting delivery the new generation. One that was given up begins again.
   */
  collect(epoch: number, now: number, limit: number): Promise<CollectedDeliveries>;
  /** Deliveries of an endpoint that are due, those that have waited longest first. */
  due(epoch: number, endpointId: string, now: number, limit: number): Promise<readonly WebhookDelivery[]>;
  /** Removes the delivery, or lets it begin again if it got a newer generation meanwhile. */
  noteTold(delivery: WebhookDelivery, now: number): Promise<void>;
  /** One that is given up begins again as well, if it got a newer generation meanwhile. */
  noteFailed(delivery: WebhookDelivery, failure: WebhookFailure): Promise<void>;
  /** Nothing of this endpoint is due or collected any more. */
  noteGone(endpoint: WebhookEndpoint): Promise<void>;
}
