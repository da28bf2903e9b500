import type { Change } from '../../domain/model/sync-work.js';
import type { ChangeFeed } from '../../domain/ports/change-feed.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import type { MemoryContentSource } from './memory-content-source.js';

const MOST_SURVEYED = 5_000;

/** A feed that whoever changes the source by hand fills by hand as well. */
export class MemoryChangeFeed implements ChangeFeed {
  #changes: readonly Change[] = [];
  #lastId = 0;

  constructor(private readonly source: MemoryContentSource) {}

  add(kind: Change['kind'], key: string | null): void {
    this.#changes = [...this.#changes, { id: ++this.#lastId, kind, key }];
  }

  async look<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    const ofKeys = this.#changes.filter(({ kind }) => kind === 'apiKeys');
    const oldest = ofKeys.length > 0 ? ofKeys : this.#changes;
    return see(oldest.slice(0, limit), this.source.snapshot());
  }

  async survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen> {
    return see(this.#changes.length > MOST_SURVEYED ? null : this.#changes, this.source.snapshot());
  }

  async forget(changes: readonly Change[]): Promise<void> {
    const forgotten = new Set(changes.map(({ id }) => id));
    this.#changes = this.#changes.filter(({ id }) => !forgotten.has(id));
  }
}
