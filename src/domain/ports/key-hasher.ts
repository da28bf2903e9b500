/** Lower-case hex of the SHA-256 of a whole key: the form in which the dashboard keeps keys. */
export interface KeyHasher {
  hash(key: string): string;
}
