import { randomUUID } from 'node:crypto';

/** An id that no other test has, so that tests can share a database. */
export function freshId(prefix: string): string {
  return `${prefix}_${randomUUID()}`;
}
