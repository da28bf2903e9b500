import type { KnownKey } from '../model/api-key.js';
import { type Awaitable, whenThere } from '../model/awaitable.js';
import { couldBeKey } from '../policies/key-shape.js';
import { keyValidity } from '../policies/key-validity.js';
import type { ApiKeyDirectory } from '../ports/api-key-directory.js';
import type { Clock } from '../ports/clock.js';
import type { Generations } from '../ports/generations.js';
import type { KeyHasher } from '../ports/key-hasher.js';

export interface AuthenticateKey {
  /** The key that the caller sent. Null if it sent none. */
  readonly key: string | null;
}

export class AuthenticateKeyHandler {
  constructor(
    private readonly hasher: KeyHasher,
    private readonly directory: ApiKeyDirectory,
    private readonly generations: Generations,
    private readonly clock: Clock,
  ) {}

  /** Null for a key that is missing, malformed, unknown, expired or revoked. The caller is not told which. */
  handle({ key }: AuthenticateKey): Awaitable<KnownKey | null> {
    if (key === null || !couldBeKey(key)) return null;
    return whenThere(this.directory.find(this.hasher.hash(key), 0), (known) => this.#judge(known));
  }

  /** The key at the current generation of its organization. Null if it is not valid any more. */
  confirm(known: KnownKey, generation: number): Awaitable<KnownKey | null> {
    if (known.generation >= generation) return this.#validOf(known);
    return whenThere(this.directory.find(known.key.hash, generation), (present) =>
      // This generation says nothing about an organization to which the key has moved.
      present === null || present.key.organizationId === known.key.organizationId
        ? this.#validOf(present)
        : this.#judgeAnew(present),
    );
  }

  #judge(known: KnownKey | null): Awaitable<KnownKey | null> {
    return known === null || this.#isValid(known) ? known : this.#judgeAnew(known);
  }

  /** A cached key may also be outdated in the other direction: its expiry may have been extended. */
  async #judgeAnew(known: KnownKey): Promise<KnownKey | null> {
    return this.confirm(known, await this.generations.current(known.key.organizationId));
  }

  #validOf(known: KnownKey | null): KnownKey | null {
    return known !== null && this.#isValid(known) ? known : null;
  }

  #isValid({ key }: KnownKey): boolean {
    return keyValidity(key, this.clock.now()) === 'valid';
  }
}
