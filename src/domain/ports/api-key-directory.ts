import type { KnownKey } from '../model/api-key.js';
import type { Awaitable } from '../model/awaitable.js';

/**
 * All keys there are, also expired and revoked ones: the directory finds, it does not judge. What reads from a copy that lags fails where the
 * copy has a key in a state from before `since`, or not at all: it may lack the key's revocation, or its creation.
 */
export interface ApiKeyDirectory {
  /**
   * Null when no key has this hash. What was known before the organization reached the generation `since` is not good enough
   * and is looked up anew. Only that there is no such key may be remembered whatever `since` is, for 50 ms.
   */
  find(hash: string, since: number): Awaitable<KnownKey | null>;
}
