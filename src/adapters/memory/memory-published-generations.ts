import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { Generations } from '../../domain/ports/generations.js';
import type { PublishedGenerations } from '../../domain/ports/published-generations.js';

/** The published generations of a single process. A generation that is missing here is read from the read tables. */
export class MemoryPublishedGenerations implements PublishedGenerations, Generations {
  readonly #shown = new Map<string, number>();

  constructor(private readonly readTables: Generations) {}

  async publish(raised: readonly RaisedGeneration[]): Promise<boolean> {
    for (const { organizationId, generation } of raised) {
      this.#shown.set(organizationId, Math.max(generation, this.#shown.get(organizationId) ?? 0));
    }
    return true;
  }

  async current(organizationId: string): Promise<number> {
    const shown = this.#shown.get(organizationId);
    if (shown !== undefined) return shown;
    const generation = await this.readTables.current(organizationId);
    await this.publish([{ organizationId, generation }]);
    return generation;
  }
}
