import type { WebhookDelivery, WebhookEndpoint, WebhookFailure } from '../../model/webhook.js';

/** An organization that is edited again within this time is told once. */
export const DEBOUNCE_MS = 1_000;

export interface CollectedDeliveries {
  /** Whether more was raised than was collected. */
  readonly isPartial: boolean;
  /** The endpoints that have a delivery that is due, of those that were collected before. */
  readonly dueEndpointIds: readonly string[];
  /** When another one will be. Null: none waits. */
  readonly nextDueAt: number | null;
}

/**
 * What endpoints are still to be told, stored beside the generations: the writer notes changes that
 * concern an endpoint. A method with an `epoch` throws `LeadershipLost` and changes nothing if it
 * is over.
 */
export interface WebhookDeliveries {
  /**
   * Forgets all others, and those that are gone since another file. New ones are told of what
   * changes from now on, and that everything may have changed in organizations that were raised
   * since this time.
   */
  setEndpoints(epoch: number, endpoints: readonly WebhookEndpoint[], since: number): Promise<void>;
  /**
   * Adds a delivery for each endpoint that the changes of some `limit` organizations concern, or
   * adds them to one that waits. One that was given up begins again.
   */
  collect(epoch: number, now: number, limit: number): Promise<CollectedDeliveries>;
  /** Deliveries of an endpoint that are due, those that have waited longest first. */
  due(epoch: number, endpointId: string, now: number, limit: number): Promise<readonly WebhookDelivery[]>;
  /**
   * Removes the delivery, or what was told of it if it got a newer generation meanwhile: it begins
   * again then. The next one of this organization is not due within `restMs`.
   */
  noteTold(delivery: WebhookDelivery, now: number, restMs: number): Promise<void>;
  /** One that is given up begins again as well, if it got a newer generation meanwhile. */
  noteFailed(delivery: WebhookDelivery, failure: WebhookFailure): Promise<void>;
  /** Nothing of this endpoint is due or collected any more. */
  noteGone(endpoint: WebhookEndpoint): Promise<void>;
}
