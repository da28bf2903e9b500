import type { RaisedGeneration } from '../model/read-model.js';
import type { GenerationHistory } from '../ports/generation-history.js';
import type { PublishedGenerations } from '../ports/published-generations.js';

const PAGE = 500;
/** Generations count microseconds. A transaction may commit this long after it took its generation. */
const LATE_COMMIT = 60 * 1_000_000;

/**
 * Republishes generations that lag behind the read tables. Either they were not published, because the publisher crashed or the list of
 * published generations was unavailable, or the list lost them. The position follows the read tables' clock, not the highest generation: a
 * generation that was issued while the clock was fast is above all that are raised after the clock is corrected.
 */
export class RepublishGenerations {
  /** The clock when the last run began, or the highest generation if that was lower. Null: the next run republishes all generations. */
  #reached: number | null = null;
  /**
   * Published generations that are ahead of the clock. Until the clock reaches them they are above every watermark and need not be
   * republished each time.
   */
  #ahead: ReadonlyMap<string, number> = new Map();
  #starts = 0;

  constructor(
    private readonly history: GenerationHistory,
    private readonly published: PublishedGenerations,
  ) {}

  /**
   * Publishes recent raises. The first run, and a run after a failure or `restart`, publishes all generations. True if the list of
   * published generations is complete afterwards.
   */
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
    // `restart` was called meanwhile: this run does not count.
    if (this.#starts !== start) return false;
    this.#reached = Math.min(now, Math.max(reached ?? 0, above));
    this.#ahead = ahead;
    return true;
  }

  /** For a list of published generations that may have lost everything. */
  restart(): void {
    this.#reached = null;
    this.#starts++;
  }

  #isPublished({ organizationId, generation }: RaisedGeneration): boolean {
    return this.#ahead.get(organizationId) === generation;
  }
}
