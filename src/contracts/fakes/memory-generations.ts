import type {
  GenerationQuestion,
  GenerationReading,
  Generations,
} from '../../domain/ports/reading/generations.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemoryGenerations implements Generations {
  constructor(private readonly readModel: MemoryReadModel) {}

  async read({ above, limit, organizationIds }: GenerationQuestion): Promise<GenerationReading> {
    const { generations, newestGeneration } = this.readModel;
    const raised = [...generations]
      .map(([organizationId, generation]) => ({ organizationId, generation }))
      .filter(({ generation }) => generation > above)
      .slice(0, limit);
    const current = new Map([...generations].filter(([id]) => organizationIds.includes(id)));
    return { server: 'memory', isStandby: false, syncAgeMs: 0, newest: newestGeneration, raised, current };
  }
}
