/** Times are milliseconds since 1970. The secret itself is nowhere: `hash` is all that is kept of it. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly hash: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key as it was when its organization had this generation: newer generations may know better. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly generation: number;
}
