/** The SHA-256 of a whole key in lower-case hex, which is how the dashboard stores keys. */
export interface KeyHasher {
  hash(key: string): string;
}
