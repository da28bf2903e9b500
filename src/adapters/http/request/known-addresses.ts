import { LRUCache } from 'lru-cache';
import type { ParsedRequest } from './api-state.js';

/** About 2,000 addresses of usual length. Long addresses (up to 8 KB) are not worth the memory. */
const CACHED_BYTES = 2 * 1024 * 1024;
const MAX_CACHED_ADDRESS_BYTES = 8 * 1024;
/** What an entry takes in addition to its texts. */
const BYTES_OF_ENTRY = 800;

/** Parsed requests by address: most addresses repeat. */
export function knownAddresses(): LRUCache<string, ParsedRequest> {
  return new LRUCache({
    maxSize: CACHED_BYTES,
    maxEntrySize: MAX_CACHED_ADDRESS_BYTES,
    // Segment and query together are no longer than the whole request. A character may take two bytes.
    sizeCalculation: ({ request }, address) => BYTES_OF_ENTRY + 2 * (address.length + 2 * request.length),
  });
}
