import { LRUCache } from 'lru-cache';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** In bytes, since the dashboard decides how long ids are: about 10,000 keys. */
const CACHED_BYTES = 8 * 1024 * 1024;
/** What an entry takes in addition to its texts. */
const BYTES_OF_ENTRY = 600;
/** The number of unknown keys: all hashes have the same length. */
const CACHED_UNKNOWN = 10_000;
/** The longest wait of a new key, and the shortest interval between look-ups of an unknown one. */
const UNKNOWN_CACHED_MS = 50;
interface LookUp {
  readonly startedAt: number;
  readonly key: Promise<KnownKey | null>;
}

/** Keeps a key until its organization changes, an unknown one briefly. */
export class CachedApiKeyDirectory implements ApiKeyDirectory {
  readonly #knownKeys = new LRUCache<string, KnownKey>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ key }, hash) =>
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

  async find(hash: string, generation: number): Promise<KnownKey | null> {
    const cachedKey = this.#knownKeys.get(hash);
    const isCurrent = generation === 0 || cachedKey?.generation === generation;
    return cachedKey !== undefined && isCurrent ? cachedKey : this.#lookUpOnce(hash, generation);
  }

  async #lookUpOnce(hash: string, generation: number): Promise<KnownKey | null> {
    const unknownAt = this.#unknownAt.get(hash);
    if (unknownAt !== undefined && this.#isFresh(unknownAt)) return null;

    const name = `${hash} ${generation}`;
    const running = this.#running.get(name);
    if (running !== undefined && this.#isFresh(running.startedAt)) return running.key;
    const startedAt = this.clock.now();
    const lookUp = { startedAt, key: this.#lookUp(hash, generation, startedAt) };
    this.#running.set(name, lookUp);
    try {
      return await lookUp.key;
    } finally {
      if (this.#running.get(name) === lookUp) this.#running.delete(name);
    }
  }

  async #lookUp(hash: string, generation: number, startedAt: number): Promise<KnownKey | null> {
    const key = await this.directory.find(hash, generation);
    if (key === null) {
      this.#knownKeys.delete(hash);
      this.#unknownAt.set(hash, startedAt);
    } else {
      this.#knownKeys.set(hash, key);
    }
    return key;
  }

  #isFresh(startedAt: number): boolean {
    return this.clock.now() - startedAt < UNKNOWN_CACHED_MS;
  }
}
