import { LRUCache } from 'lru-cache';
import type { AskedRequest } from './asked-request.js';

/** About 2,000 addresses of usual length. Long ones, up to 8 KB of a caller's, are not worth their place. */
const REMEMBERED_BYTES = 2 * 1024 * 1024;
const LONGEST_REMEMBERED_BYTES = 8 * 1024;
/** What an entry takes beside its texts. */
const BYTES_OF_ENTRY = 800;

/** What was asked under an address: most come again and again. */
export class KnownAddresses {
  readonly #asked = new LRUCache<string, AskedRequest>({
    maxSize: REMEMBERED_BYTES,
    maxEntrySize: LONGEST_REMEMBERED_BYTES,
    // Segment and query have no more text than the whole request; text may take two bytes a character.
    sizeCalculation: ({ request }, address) => BYTES_OF_ENTRY + 2 * (address.length + 2 * request.length),
  });

  get(address: string): AskedRequest | undefined {
    return this.#asked.get(address);
  }

  remember(address: string, asked: AskedRequest): void {
    this.#asked.set(address, asked);
  }
}
