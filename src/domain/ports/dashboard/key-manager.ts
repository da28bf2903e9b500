/** The API keys of a dashboard. It is the only place that ever holds a key. */
export interface KeyManager {
  /** Throws UnknownInDashboard for an organization that does not exist. */
  create(organizationId: string, name: string, expiresAt: Date | null): Promise<IssuedKey>;
  /** The oldest first. Throws UnknownInDashboard for an organization that does not exist. */
  list(organizationId: string): Promise<readonly ListedKey[]>;
  /** A revoked key keeps its time. Throws UnknownInDashboard if there is none. */
  revoke(id: string): Promise<void>;
}

/** The key itself is shown once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

export interface ListedKey {
  readonly id: string;
  readonly name: string;
  /** The beginning of the key. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}
