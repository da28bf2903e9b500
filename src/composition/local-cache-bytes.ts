/** The maximum size of the local cache of finished answers. Compressed forms have a limit of their own, a third of this one. */
export const LOCAL_CACHE_BYTES = 15 * 1024 * 1024;
