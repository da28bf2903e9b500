import type { Staleness } from '../policies/staleness.js';
import type { Clock } from '../ports/clock.js';
import type { Generations } from '../ports/generations.js';

/** 4 MB with ids of usual length. */
const MAX_ORGANIZATIONS = 20_000;

/** Caches the generations that are read through it, for use when none can be read. Evicts the least recently read first. */
export class KnownGenerations {
  readonly #read = new Map<string, { readonly generation: number; readonly readAt: number }>();

  constructor(
    private readonly generations: Generations,
    private readonly staleness: Staleness,
    private readonly clock: Clock,
  ) {}

  async current(organizationId: string): Promise<number> {
    const generation = await this.generations.current(organizationId);
    // A Map keeps insertion order.
    this.#read.delete(organizationId);
    this.#read.set(organizationId, { generation, readAt: this.clock.now() });
    if (this.#read.size > MAX_ORGANIZATIONS) this.#removeOldest();
    return generation;
  }

  /** The last generation that was read. Null if that was too long ago. */
  lastOf(organizationId: string): number | null {
    const last = this.#read.get(organizationId);
    return last !== undefined && this.staleness.mayUseGeneration(last.readAt, this.clock.now())
      ? last.generation
      : null;
  }

  #removeOldest(): void {
    for (const oldest of this.#read.keys()) {
      this.#read.delete(oldest);
      return;
    }
  }
}
