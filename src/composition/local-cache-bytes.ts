/** What a process keeps of finished answers in its own memory, at most. Their compressed forms have a bound of their own, of a third of it. */
export const LOCAL_CACHE_BYTES = 15 * 1024 * 1024;
