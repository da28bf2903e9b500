import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { GenerationHistory } from '../../domain/ports/reading/generation-history.js';
import type { Generations } from '../../domain/ports/reading/generations.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemoryGenerations implements Generations, GenerationHistory {
  constructor(private readonly readModel: MemoryReadModel) {}

  async current(organizationId: string): Promise<number> {
    return this.readModel.generationOf(organizationId);
  }

  async newest(): Promise<number> {
    return this.readModel.newestGeneration;
  }

  async above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    const all = [...this.readModel.generations].map(([organizationId, reached]) => ({
      organizationId,
      generation: reached,
    }));
    const raised = all
      .filter((raise) => raise.generation > generation)
      .sort((a, b) => a.generation - b.generation);
    const last = raised[limit - 1]?.generation ?? Number.POSITIVE_INFINITY;
    return raised.filter((raise) => raise.generation <= last);
  }
}
