/** What a process keeps of finished answers in its own memory, at most; compressed forms come on top, with less than half of it. */
export const NEAR_CACHE_BYTES = 32 * 1024 * 1024;
