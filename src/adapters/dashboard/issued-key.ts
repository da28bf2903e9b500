import { randomUUID } from 'node:crypto';
import type { KeyHasher } from '../../domain/ports/key-hasher.js';
import { newKey } from './new-key.js';

const PREFIX_LENGTH = 8;

/** A new key, which is shown once, and what a table stores of it. */
export function issueKey(hasher: KeyHasher) {
  const key = newKey();
  const id = `key_${randomUUID()}`;
  return { id, key, kept: { id, key_hash: hasher.hash(key), key_prefix: key.slice(0, PREFIX_LENGTH) } };
}

export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A wrong argument of a command, with a message for its user. */
export class UnknownInDashboard extends Error {
  override readonly name = 'UnknownInDashboard';

  constructor(what: 'key' | 'organization', id: string) {
    super(`There is no ${what} "${id}" in the dashboard's database.`);
  }
}
