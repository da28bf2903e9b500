/** Times are milliseconds since 1970. Only the hash of the secret is kept. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly hash: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key as it was at this generation of its organization. A newer generation may have changed it. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly generation: number;
}
