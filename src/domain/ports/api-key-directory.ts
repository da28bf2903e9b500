import type { KnownKey } from '../model/api-key.js';
import type { Awaitable } from '../model/awaitable.js';

/**
 * All existing keys, including expired and revoked ones. The directory finds keys and does not judge them. An adapter that reads from a
 * lagging replica throws if the replica has the key from before `since` or not at all, because its revocation or creation may be missing.
 */
export interface ApiKeyDirectory {
  /**
   * Null if no key has this hash. A key that was cached before the organization reached the generation `since` is looked up again. That no
   * key has this hash may be cached for 50 ms, whatever `since` is.
   */
  find(hash: string, since: number): Awaitable<KnownKey | null>;
}
