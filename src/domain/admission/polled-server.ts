import type { Clock } from '../ports/clock.js';
import type { GenerationHistory } from '../ports/generation-history.js';
import type { Generations } from '../ports/generations.js';

/** What a poll has read counts as current for this long. */
const POLL_LASTS_MS = 250;
const PAGE = 1_000;

export interface PollListener {
  /** The first poll has ended: no poll tells what was raised before. */
  begin(): void;
  raise(organizationId: string, generation: number): void;
}

/** A server of the read tables whose raised generations are polled. */
export class PolledServer {
  #listener: PollListener | null = null;
  /** The highest generation that was seen. Null: no poll has succeeded. */
  #position: number | null = null;
  #polledAt = Number.NEGATIVE_INFINITY;
  #isAway = false;

  constructor(
    readonly table: Generations & GenerationHistory,
    /** One that cannot be set. */
    private readonly clock: Clock,
  ) {}

  /** Whether the last poll failed. */
  get isAway(): boolean {
    return this.#isAway;
  }

  get isCurrent(): boolean {
    return !this.#isAway && this.clock.now() - this.#polledAt <= POLL_LASTS_MS;
  }

  tell(listener: PollListener): void {
    this.#listener = listener;
  }

  /** To be called several times a second. Tells what was raised since the last poll. */
  async poll(): Promise<void> {
    const startedAt = this.clock.now();
    try {
      if (this.#position === null) {
        this.#position = await this.table.newest();
        this.#listener?.begin();
      }
      await this.#readFrom(this.#position);
      this.#polledAt = startedAt;
      this.#isAway = false;
    } catch (error) {
      this.#isAway = true;
      throw error;
    }
  }

  async #readFrom(position: number): Promise<void> {
    const raised = await this.table.above(position, PAGE);
    for (const { organizationId, generation } of raised) this.#listener?.raise(organizationId, generation);
    const last = raised.at(-1);
    if (last === undefined) return;
    this.#position = last.generation;
    if (raised.length >= PAGE) await this.#readFrom(last.generation);
  }
}
