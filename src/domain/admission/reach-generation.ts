import type { Clock } from '../ports/clock.js';
import type { Generations } from '../ports/generations.js';

const MAX_WAIT_MS = 1_000;
const PAUSE_MS = 25;

/** Waits until an organization reaches a generation, for at most a second. */
export class ReachGeneration {
  constructor(
    private readonly generations: Generations,
    private readonly clock: Clock,
    private readonly pause: (milliseconds: number) => Promise<void>,
  ) {}

  /** Returns the generation after the wait. `read` is the one that was read last. */
  async handle(organizationId: string, read: number, wanted: number): Promise<number> {
    const end = this.clock.now() + MAX_WAIT_MS;
    let generation = read;
    // Counts pauses, because a clock that is set back meanwhile would extend the wait.
    for (let waited = 0; waited < MAX_WAIT_MS; waited += PAUSE_MS) {
      if (generation >= wanted || this.clock.now() >= end) break;
      await this.pause(PAUSE_MS);
      generation = await this.generations.current(organizationId);
    }
    return generation;
  }
}
