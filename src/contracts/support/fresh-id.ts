import { randomUUID } from 'node:crypto';

/** An id that no other test has: tests that share a database stay out of each other's way. */
export function freshId(prefix: string): string {
  return `${prefix}_${randomUUID()}`;
}
