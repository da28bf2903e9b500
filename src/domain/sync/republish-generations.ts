import type { RaisedGeneration } from '../model/raised-generation.js';
import type { GenerationHistory } from '../ports/generation-history.js';
import type { PublishedGenerations } from '../ports/published-generations.js';

const PAGE = 500;
/** Generations count microseconds. A transaction may commit this long after it took its generation. */
const LATE_COMMIT = 60 * 1_000_000;

/**
 * Raises on the list of published generations what lags behind the read tables: what was not published, since the publisher died or the list of published generations was away, and
 * what the list of published generations lost. It goes by the read tables' own clock, not by the highest generation: one that was taken while the clock was
 * fast is above all that is raised once it is right.
 */
export class RepublishGenerations {
  /** What the clock showed when the last run began, or the highest generation if that was lower; null: the next run walks the whole list of published generations. */
  #reached: number | null = null;
  /** Published before their time has come: they are above every watermark until then, and need not be published each time. */
  #ahead: ReadonlyMap<string, number> = new Map();
  #starts = 0;

  constructor(
    private readonly history: GenerationHistory,
    private readonly published: PublishedGenerations,
  ) {}

  /** Publishes what was raised lately; at first, after a failure and after `startOver`, all there is. True if the list of published generations is good then. */
  async run(): Promise<boolean> {
    const start = this.#starts;
    const reached = this.#reached;
    this.#reached = null;
    const now = await this.history.now();
    const ahead = new Map<string, number>();
    let above = reached === null ? 0 : Math.min(reached, now) - LATE_COMMIT;
    for (;;) {
      const raised = await this.history.above(above, PAGE);
      const due = reached === null ? raised : raised.filter((each) => !this.#isPublished(each));
      if (!(await this.published.publish(due))) return false;
      for (const { organizationId, generation } of raised) {
        if (generation > now) ahead.set(organizationId, generation);
      }
      const highest = raised.at(-1)?.generation;
      if (highest === undefined) break;
      above = highest;
    }
    // Told to start over meanwhile: then this run does not count.
    if (this.#starts !== start) return false;
    this.#reached = Math.min(now, Math.max(reached ?? 0, above));
    this.#ahead = ahead;
    return true;
  }

  /** For a list of published generations that may have lost everything. */
  startOver(): void {
    this.#reached = null;
    this.#starts++;
  }

  #isPublished({ organizationId, generation }: RaisedGeneration): boolean {
    return this.#ahead.get(organizationId) === generation;
  }
}
