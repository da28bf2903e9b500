/** Times are milliseconds since 1970. Only the hash of the secret is kept. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly hash: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key at this generation; a newer generation may have changed it. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly generation: number;
}
