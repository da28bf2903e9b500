import { LRUCache } from 'lru-cache';
import type { AskedRequest } from './asked-request.js';

/** About 2,000 addresses of usual length. Long addresses (up to 8 KB) are not worth the memory. */
const REMEMBERED_BYTES = 2 * 1024 * 1024;
const LONGEST_REMEMBERED_BYTES = 8 * 1024;
/** What an entry takes in addition to its texts. */
const BYTES_OF_ENTRY = 800;

/** Parsed requests by address: most addresses repeat. */
export class KnownAddresses {
  readonly #asked = new LRUCache<string, AskedRequest>({
    maxSize: REMEMBERED_BYTES,
    maxEntrySize: LONGEST_REMEMBERED_BYTES,
    // Segment and query together are no longer than the whole request. A character may take two bytes.
    sizeCalculation: ({ request }, address) => BYTES_OF_ENTRY + 2 * (address.length + 2 * request.length),
  });

  get(address: string): AskedRequest | undefined {
    return this.#asked.get(address);
  }

  remember(address: string, asked: AskedRequest): void {
    this.#asked.set(address, asked);
  }
}
