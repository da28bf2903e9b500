import type { KnownKey } from '../model/api-key.js';
import { couldBeKey } from '../policies/key-shape.js';
import { keyValidity } from '../policies/key-validity.js';
import type { ApiKeyDirectory } from '../ports/api-key-directory.js';
import type { Clock } from '../ports/clock.js';
import type { Generations } from '../ports/generations.js';
import type { KeyHasher } from '../ports/key-hasher.js';

export interface AuthenticateKey {
  /** What the caller sent as its key; null when it sent none. */
  readonly key: string | null;
}

export class AuthenticateKeyHandler {
  constructor(
    private readonly hasher: KeyHasher,
    private readonly directory: ApiKeyDirectory,
    private readonly generations: Generations,
    private readonly clock: Clock,
  ) {}

  /** Null for a key that is missing, malformed, unknown, expired or revoked: the caller is not told which. */
  async handle({ key }: AuthenticateKey): Promise<KnownKey | null> {
    if (key === null || !couldBeKey(key)) return null;
    const known = await this.directory.find(this.hasher.hash(key), 0);
    if (known === null || this.#isValid(known)) return known;
    // What is remembered may be out of date in this direction too: a key's life can be made longer before it ends.
    return this.confirm(known, await this.generations.current(known.key.organizationId));
  }

  /** The key as its organization's present generation has it; null if it is not valid any more. */
  async confirm(known: KnownKey, generation: number): Promise<KnownKey | null> {
    const present =
      known.generation < generation ? await this.directory.find(known.key.hash, generation) : known;
    return present !== null && this.#isValid(present) ? present : null;
  }

  #isValid({ key }: KnownKey): boolean {
    return keyValidity(key, this.clock.now()) === 'valid';
  }
}
