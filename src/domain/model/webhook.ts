/** A receiver that is told after a publication. */
export interface WebhookEndpoint {
  /** Derived from its URL and organization, so the order of endpoints does not matter. */
  readonly id: string;
  /** For operators: nothing in it is secret. */
  readonly name: string;
  readonly url: string;
  /** Null: it is told of all organizations. */
  readonly organizationId: string | null;
  /** One, or two during a rotation. */
  readonly secrets: readonly Uint8Array[];
  /** A digest of the file that lists it. */
  readonly file: string;
}

/** What an endpoint is told: this content is current. */
export interface WebhookMessage {
  readonly organizationId: string;
  readonly generation: number;
}

/** Why a message was not accepted. */
export interface WebhookRefusal {
  readonly reason: string;
  readonly retryAfterMs: number;
  /** Whether the endpoint asks not to be called again. */
  readonly isGone: boolean;
}

/** A message that an endpoint has not accepted yet. */
export interface WebhookDelivery extends WebhookMessage {
  readonly endpointId: string;
  /** The number of failed attempts. */
  readonly attempts: number;
  /** The time of the first of them. Null: there is none. */
  readonly failingSince: number | null;
}

export interface WebhookFailure {
  readonly reason: string;
  readonly failedAt: number;
  /** Null: not before the organization has a newer generation. */
  readonly nextAttemptAt: number | null;
}
