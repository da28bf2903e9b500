import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { PublishedGenerations } from '../../domain/ports/reading/published-generations.js';

/** The published generations of a single process. */
export class MemoryPublishedGenerations implements PublishedGenerations {
  readonly #published = new Map<string, number>();

  async publish(raised: readonly RaisedGeneration[]): Promise<void> {
    for (const { organizationId, generation } of raised) {
      this.#published.set(organizationId, Math.max(generation, this.#published.get(organizationId) ?? 0));
    }
  }

  async published(organizationId: string): Promise<number> {
    return this.#published.get(organizationId) ?? 0;
  }
}
