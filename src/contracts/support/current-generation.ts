import type { Generations } from '../../domain/ports/reading/generations.js';

/** 0 for an organization without any content or keys so far. */
export async function currentGeneration(generations: Generations, organizationId: string): Promise<number> {
  const { current } = await generations.read({ above: 0, limit: 0, organizationIds: [organizationId] });
  return current.get(organizationId) ?? 0;
}
