import { KeyRefused } from '../../domain/errors.js';
import type { KnownKey } from '../../domain/model/api-key.js';
import { type Awaitable, after } from '../../domain/policies/awaitable.js';
import { couldBeKey, type KeyValidity, keyValidity } from '../../domain/policies/key-validity.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { KeyHasher } from '../../domain/ports/system/key-hasher.js';
import type { FollowedGenerations } from './followed-generations.js';

export interface AuthenticateKey {
  /** The key that the caller sent. Null if it sent none. */
  readonly key: string | null;
}

export class AuthenticateKeyHandler {
  constructor(
    private readonly hasher: KeyHasher,
    private readonly directory: ApiKeyDirectory,
    private readonly generations: Pick<FollowedGenerations, 'current'>,
    private readonly clock: Clock,
  ) {}

  /** Throws `KeyRefused`. A key that was valid may be revoked since: `confirm` tells. */
  handle({ key }: AuthenticateKey): Awaitable<KnownKey> {
    if (key === null) throw new KeyRefused('missing', null);
    if (!couldBeKey(key)) throw new KeyRefused('malformed', null);
    return after(this.directory.find(this.hasher.hash(key), 0), (knownKey) => {
      if (knownKey === null) throw new KeyRefused('unknown', null);
      if (this.#validityOf(knownKey) === 'valid') return knownKey;
      // A cached key may be outdated in the other direction: its expiry may have been extended.
      const current = this.generations.current(knownKey.key.organizationId);
      return after(current, (generation) => this.confirm(knownKey, generation));
    });
  }

  /** The key at the current generation, or `KeyRefused`. */
  confirm(knownKey: KnownKey, generation: number): Awaitable<KnownKey> {
    const isCurrent = knownKey.generation >= generation;
    return after(isCurrent ? knownKey : this.directory.find(knownKey.key.hash, generation), (currentKey) => {
      if (currentKey === null) throw new KeyRefused('unknown', null);
      const validity = this.#validityOf(currentKey);
      if (validity !== 'valid') throw new KeyRefused(validity, currentKey.key);
      return currentKey;
    });
  }

  #validityOf({ key }: KnownKey): KeyValidity {
    return keyValidity(key, this.clock.now());
  }
}
