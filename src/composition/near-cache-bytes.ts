/** What a process keeps of finished answers in its own memory, at most. */
export const NEAR_CACHE_BYTES = 64 * 1024 * 1024;
