import type { KnownKey } from '../model/api-key.js';
import { type Awaitable, whenThere } from '../model/awaitable.js';
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
  handle({ key }: AuthenticateKey): Awaitable<KnownKey | null> {
    if (key === null || !couldBeKey(key)) return null;
    return whenThere(this.directory.find(this.hasher.hash(key), 0), (known) => this.#judge(known));
  }

  /** The key as its organization's present generation has it; null if it is not valid any more. */
  confirm(known: KnownKey, generation: number): Awaitable<KnownKey | null> {
    if (known.generation >= generation) return this.#validOf(known);
    return whenThere(this.directory.find(known.key.hash, generation), (present) =>
      // The generation says nothing of the organization that the key has moved to.
      present === null || present.key.organizationId === known.key.organizationId
        ? this.#validOf(present)
        : this.#judgeAnew(present),
    );
  }

  #judge(known: KnownKey | null): Awaitable<KnownKey | null> {
    return known === null || this.#isValid(known) ? known : this.#judgeAnew(known);
  }

  /** What is remembered may be out of date in this direction too: a key's life can be made longer before it ends. */
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
