import { KeyRefused } from '../../domain/errors.js';
import type { KnownKey } from '../../domain/model/api-key.js';
import { couldBeKey, type KeyValidity, keyValidity } from '../../domain/policies/key-validity.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { KeyHasher } from '../../domain/ports/system/key-hasher.js';
import type { FollowedGenerations } from './followed-generations.js';

/** Of an organization, before anything of it is read. */
export interface ReadGeneration {
  readonly generation: number;
  /** False: it could not be read in time, and this is the last known one. */
  readonly isConfirmed: boolean;
}

export class Authentication {
  constructor(
    private readonly hasher: KeyHasher,
    private readonly directory: ApiKeyDirectory,
    private readonly generations: Pick<FollowedGenerations, 'current' | 'requireSync'>,
    private readonly clock: Clock,
  ) {}

  /** Throws `KeyRefused`. A key that was valid may be revoked since: `recheck` tells. */
  async authenticate(key: string | null): Promise<KnownKey> {
    if (key === null) throw new KeyRefused('missing', null);
    if (!couldBeKey(key)) throw new KeyRefused('malformed', null);
    // Before the look-up: tables that lag may lack a new key, and the revocation of an old one.
    await this.generations.requireSync();
    const knownKey = await this.directory.find(this.hasher.hash(key), 0);
    if (knownKey === null) throw new KeyRefused('unknown', null);
    if (this.#validityOf(knownKey) === 'valid') return knownKey;
    // A cached key may be outdated in the other direction: its expiry may have been extended.
    const generation = await this.generations.current(knownKey.key.organizationId);
    return this.recheck(knownKey, { generation, isConfirmed: true });
  }

  /** The key at the current generation, or `KeyRefused`. */
  async recheck(knownKey: KnownKey, { generation, isConfirmed }: ReadGeneration): Promise<KnownKey> {
    // A higher one than the confirmed one is that of a state which a failover has lost.
    const isCurrent = isConfirmed ? knownKey.generation === generation : knownKey.generation >= generation;
    const currentKey = isCurrent ? knownKey : await this.directory.find(knownKey.key.hash, generation);
    if (currentKey === null) throw new KeyRefused('unknown', null);
    const validity = this.#validityOf(currentKey);
    if (validity !== 'valid') throw new KeyRefused(validity, currentKey.key);
    return currentKey;
  }

  #validityOf({ key }: KnownKey): KeyValidity {
    return keyValidity(key, this.clock.now());
  }
}
