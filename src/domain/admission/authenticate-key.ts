import { KeyRefused } from '../errors.js';
import type { KnownKey } from '../model/api-key.js';
import { type Awaitable, mapAwaitable } from '../model/awaitable.js';
import { couldBeKey, type KeyValidity, keyValidity } from '../policies/key-validity.js';
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

  /** Throws `KeyRefused` for a key that is missing, malformed, unknown, expired or revoked. */
  handle({ key }: AuthenticateKey): Awaitable<KnownKey> {
    if (key === null) throw new KeyRefused('missing', null);
    if (!couldBeKey(key)) throw new KeyRefused('malformed', null);
    return mapAwaitable(this.directory.find(this.hasher.hash(key), 0), (known) => this.#judge(known));
  }

  /** The key at the current generation, or `KeyRefused`. */
  confirm(known: KnownKey, generation: number): Awaitable<KnownKey> {
    if (known.generation >= generation) return this.#accept(known);
    return mapAwaitable(this.directory.find(known.key.hash, generation), (present) =>
      // This generation says nothing about an organization to which the key has moved.
      present === null || present.key.organizationId === known.key.organizationId
        ? this.#accept(present)
        : this.#refreshAndJudge(present),
    );
  }

  #judge(known: KnownKey | null): Awaitable<KnownKey> {
    if (known === null) throw new KeyRefused('unknown', null);
    return this.#validityOf(known) === 'valid' ? known : this.#refreshAndJudge(known);
  }

  /** A cached key may be outdated in the other direction: its expiry may have been extended. */
  async #refreshAndJudge(known: KnownKey): Promise<KnownKey> {
    return this.confirm(known, await this.generations.current(known.key.organizationId));
  }

  #accept(known: KnownKey | null): KnownKey {
    if (known === null) throw new KeyRefused('unknown', null);
    const validity = this.#validityOf(known);
    if (validity !== 'valid') throw new KeyRefused(validity, known.key);
    return known;
  }

  #validityOf({ key }: KnownKey): KeyValidity {
    return keyValidity(key, this.clock.now());
  }
}
