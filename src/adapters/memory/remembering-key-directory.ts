import { LRUCache } from 'lru-cache';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import type { Clock } from '../../domain/ports/clock.js';

/** Ids are as long as the dashboard makes them: bounded in bytes, which is about 10,000 keys with ids of usual length. */
const REMEMBERED_BYTES = 8 * 1024 * 1024;
/** What an entry takes beside its texts. */
const BYTES_OF_ENTRY = 600;
/** Hashes are all of one length. */
const REMEMBERED_UNKNOWN = 10_000;
/** A key that was just made is kept waiting no longer; one that nobody has is looked up so often at most, whoever sends it. */
const UNKNOWN_REMEMBERED_MS = 50;

interface LookUp {
  readonly begunAt: number;
  readonly found: Promise<KnownKey | null>;
}

/** Remembers what another directory found: a key for as long as its organization does not change, that there is none for a moment. */
export class RememberingKeyDirectory implements ApiKeyDirectory {
  readonly #known = new LRUCache<string, KnownKey>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ key }, hash) =>
      BYTES_OF_ENTRY + 2 * (key.id.length + key.organizationId.length + key.hash.length + hash.length),
  });
  /** When the look-ups began that found none: what was committed since, they have not seen. */
  readonly #unknownAt = new LRUCache<string, number>({ max: REMEMBERED_UNKNOWN });
  readonly #underway = new Map<string, LookUp>();

  constructor(
    private readonly directory: ApiKeyDirectory,
    private readonly clock: Clock,
  ) {}

  async find(hash: string, since: number): Promise<KnownKey | null> {
    const known = this.#known.get(hash);
    if (known !== undefined && known.generation >= since) return known;
    const unknownAt = this.#unknownAt.get(hash);
    if (unknownAt !== undefined && this.#isFresh(unknownAt)) return null;

    const name = `${hash} ${since}`;
    const underway = this.#underway.get(name);
    if (underway !== undefined && this.#isFresh(underway.begunAt)) return underway.found;
    const begunAt = this.clock.now();
    const lookUp = { begunAt, found: this.#lookUp(hash, since, begunAt) };
    this.#underway.set(name, lookUp);
    try {
      return await lookUp.found;
    } finally {
      if (this.#underway.get(name) === lookUp) this.#underway.delete(name);
    }
  }

  async #lookUp(hash: string, since: number, begunAt: number): Promise<KnownKey | null> {
    const found = await this.directory.find(hash, since);
    if (found === null) {
      this.#known.delete(hash);
      this.#unknownAt.set(hash, begunAt);
    } else {
      this.#known.set(hash, found);
    }
    return found;
  }

  /** A clock that was put back makes nothing last longer. */
  #isFresh(begunAt: number): boolean {
    const age = this.clock.now() - begunAt;
    return age >= 0 && age < UNKNOWN_REMEMBERED_MS;
  }
}
