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
    return mapAwaitable(this.directory.find(this.hasher.hash(key), 0), (knownKey) => this.#judge(knownKey));
  }

  /** The key at the current generation, or `KeyRefused`. */
  confirm(knownKey: KnownKey, generation: number): Awaitable<KnownKey> {
    if (knownKey.generation >= generation) return this.#accept(knownKey);
    return mapAwaitable(this.directory.find(knownKey.key.hash, generation), (currentKey) =>
      this.#accept(currentKey),
    );
  }

  #judge(knownKey: KnownKey | null): Awaitable<KnownKey> {
    if (knownKey === null) throw new KeyRefused('unknown', null);
    return this.#validityOf(knownKey) === 'valid' ? knownKey : this.#refreshAndJudge(knownKey);
  }

  /** A cached key may be outdated in the other direction: its expiry may have been extended. */
  async #refreshAndJudge(knownKey: KnownKey): Promise<KnownKey> {
    return this.confirm(knownKey, await this.generations.current(knownKey.key.organizationId));
  }

  #accept(knownKey: KnownKey | null): KnownKey {
    if (knownKey === null) throw new KeyRefused('unknown', null);
    const validity = this.#validityOf(knownKey);
    if (validity !== 'valid') throw new KeyRefused(validity, knownKey.key);
    return knownKey;
  }

  #validityOf({ key }: KnownKey): KeyValidity {
    return keyValidity(key, this.clock.now());
  }
}
