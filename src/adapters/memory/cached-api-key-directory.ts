import { LRUCache } from 'lru-cache';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** In bytes, since the dashboard decides how long ids are: about 10,000 keys. */
const CACHED_BYTES = 8 * 1024 * 1024;
/** What an entry takes in addition to its texts. */
const BYTES_OF_ENTRY = 600;
/** All hashes have the same length. */
const CACHED_UNKNOWN = 10_000;
/** The longest wait of a new key, and the shortest interval between look-ups of an unknown one. */
const UNKNOWN_CACHED_MS = 50;
/** After a restore, generations may be lower than the one of a cached key. */
const KNOWN_CACHED_MS = 60_000;
/** While look-ups fail, the key stays valid, and few requests wait for a failure. */
const FAILED_LOOKUP_CACHED_MS = 10_000;

interface Cached {
  readonly knownKey: KnownKey;
  readonly until: number;
}

interface LookUp {
  readonly startedAt: number;
  readonly key: Promise<KnownKey | null>;
}

/** Keeps a key until its organization changes or a minute has passed, an unknown one briefly. */
export class CachedApiKeyDirectory implements ApiKeyDirectory {
  readonly #knownKeys = new LRUCache<string, Cached>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ knownKey: { key } }, hash) =>
      BYTES_OF_ENTRY + 2 * (key.id.length + key.organizationId.length + key.hash.length + hash.length),
  });
  /** The start times of look-ups that found no key. They do not see what was committed later. */
  readonly #unknownAt = new LRUCache<string, number>({ max: CACHED_UNKNOWN });
  readonly #running = new Map<string, LookUp>();

  constructor(
    private readonly directory: ApiKeyDirectory,
    /** A monotonic clock. */
    private readonly clock: Clock,
  ) {}

  async find(hash: string, since: number): Promise<KnownKey | null> {
    const cached = this.#knownKeys.get(hash);
    if (cached === undefined || cached.knownKey.generation < since) return this.#lookUpOnce(hash, since);
    return cached.until <= this.clock.now() ? this.#lookUpAgain(hash, cached.knownKey) : cached.knownKey;
  }

  async #lookUpAgain(hash: string, cachedKey: KnownKey): Promise<KnownKey | null> {
    try {
      return await this.#lookUpOnce(hash, 0);
    } catch {
      // Operators learn of the failure from reads that need the database.
      this.#cache(hash, cachedKey, FAILED_LOOKUP_CACHED_MS);
      return cachedKey;
    }
  }

  async #lookUpOnce(hash: string, since: number): Promise<KnownKey | null> {
    const unknownAt = this.#unknownAt.get(hash);
    if (unknownAt !== undefined && this.#isFresh(unknownAt)) return null;

    const name = `${hash} ${since}`;
    const running = this.#running.get(name);
    if (running !== undefined && this.#isFresh(running.startedAt)) return running.key;
    const startedAt = this.clock.now();
    const lookUp = { startedAt, key: this.#lookUp(hash, since, startedAt) };
    this.#running.set(name, lookUp);
    try {
      return await lookUp.key;
    } finally {
      if (this.#running.get(name) === lookUp) this.#running.delete(name);
    }
  }

  async #lookUp(hash: string, since: number, startedAt: number): Promise<KnownKey | null> {
    const key = await this.directory.find(hash, since);
    if (key === null) {
      this.#knownKeys.delete(hash);
      this.#unknownAt.set(hash, startedAt);
    } else {
      this.#cache(hash, key, KNOWN_CACHED_MS);
    }
    return key;
  }

  #cache(hash: string, key: KnownKey, milliseconds: number): void {
    this.#knownKeys.set(hash, { knownKey: key, until: this.clock.now() + milliseconds });
  }

  #isFresh(startedAt: number): boolean {
    return this.clock.now() - startedAt < UNKNOWN_CACHED_MS;
  }
}
