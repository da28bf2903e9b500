/** A receiver that is told after a publication. */
export interface WebhookEndpoint {
  /** Derived from its URL, organization and website, so the order of endpoints does not matter. */
  readonly id: string;
  /** For operators: nothing in it is secret. */
  readonly name: string;
  readonly url: string;
  /** Null: it is told of all organizations. */
  readonly organizationId: string | null;
  /** Null: it is told of all websites. */
  readonly websiteId: string | null;
  /** One, or two during a rotation. */
  readonly secrets: readonly Uint8Array[];
  /** Additional headers of each message. */
  readonly headers: Readonly<Record<string, string>>;
  /** The shortest time between two accepted messages of an organization. */
  readonly atMostEveryMs: number;
  /** A digest of the file that lists it. */
  readonly file: string;
}

export interface ChangedBlog {
  readonly id: string;
  readonly slug: string;
  readonly websiteId: string;
}

/** What changed in an organization. A blog that moved changed under both slugs and websites. */
export type ContentChange =
  | ({ readonly kind: 'blog' } & ChangedBlog)
  | { readonly kind: 'terms'; readonly websiteId: string }
  /** Perhaps everything, of all websites if there is none. */
  | { readonly kind: 'everything'; readonly websiteId: string | null };

/** What an endpoint is told: this content is current. */
export interface WebhookMessage {
  readonly organizationId: string;
  readonly generation: number;
  /** Null: any blog may have changed. */
  readonly blogs: readonly ChangedBlog[] | null;
  /** Whether categories or tags may have changed. */
  readonly terms: boolean;
}

/** Why a message was not accepted. */
export interface WebhookRefusal {
  readonly reason: string;
  readonly retryAfterMs: number;
  /** Whether the endpoint asks not to be called again. */
  readonly isGone: boolean;
}

/** What an endpoint has not accepted yet. */
export interface WebhookDelivery {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly generation: number;
  /** Since the last message that it accepted. */
  readonly changes: readonly ContentChange[];
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
