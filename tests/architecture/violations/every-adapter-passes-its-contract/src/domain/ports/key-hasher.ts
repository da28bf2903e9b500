export interface KeyHasher {
  hash(key: string): string;
}
