import { LRUCache } from 'lru-cache';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import type { Clock } from '../../domain/ports/clock.js';

const REMEMBERED_KEYS = 10_000;
const UNKNOWN_REMEMBERED_MS = 1_000;

/** Remembers what another directory found: a key for as long as its organization does not change, that there is none for a second. */
export class RememberingKeyDirectory implements ApiKeyDirectory {
  readonly #known = new LRUCache<string, KnownKey>({ max: REMEMBERED_KEYS });
  readonly #unknownUntil = new LRUCache<string, number>({ max: REMEMBERED_KEYS });
  readonly #underway = new Map<string, Promise<KnownKey | null>>();

  constructor(
    private readonly directory: ApiKeyDirectory,
    private readonly clock: Clock,
  ) {}

  async find(hash: string, since: number): Promise<KnownKey | null> {
    const known = this.#known.get(hash);
    if (known !== undefined && known.generation >= since) return known;
    if (this.clock.now() < (this.#unknownUntil.get(hash) ?? 0)) return null;

    const name = `${hash} ${since}`;
    const underway = this.#underway.get(name);
    if (underway !== undefined) return underway;
    const lookUp = this.#lookUp(hash, since).finally(() => this.#underway.delete(name));
    this.#underway.set(name, lookUp);
    return lookUp;
  }

  async #lookUp(hash: string, since: number): Promise<KnownKey | null> {
    const found = await this.directory.find(hash, since);
    if (found === null) {
      this.#known.delete(hash);
      this.#unknownUntil.set(hash, this.clock.now() + UNKNOWN_REMEMBERED_MS);
    } else {
      this.#known.set(hash, found);
    }
    return found;
  }
}
