import type { PublishedGenerations } from '../domain/ports/published-generations.js';

/** Without Redis, a process learns of generations from the read tables alone. */
export const NOTHING_PUBLISHED: PublishedGenerations = {
  publish: async () => {},
  published: async () => null,
};
