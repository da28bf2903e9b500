import type { KnownKey } from '../../model/api-key.js';

/** All keys, including expired and revoked ones: the directory does not judge them. */
export interface ApiKeyDirectory {
  /**
   * Null if no key has this hash, which may be cached for 50 ms. A key that was cached at another
   * generation of its organization is looked up again. With 0, any cached key will do.
   */
  find(hash: string, generation: number): Promise<KnownKey | null>;
}
