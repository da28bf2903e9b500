import { LeadershipLost } from '../../domain/errors.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** Leadership among the workers of one process, whose instances share one `MemoryLead`. */
export class MemoryLeadership implements Leadership {
  constructor(
    private readonly lead: MemoryLead,
    private readonly leaderTimeoutMs: number,
  ) {}

  async claim(_failure: string | null): Promise<number | null> {
    return this.lead.claim(this, this.leaderTimeoutMs);
  }
}

export class MemoryLead {
  #epoch = 0;
  #holder: MemoryLeadership | null = null;
  #beatAt = 0;

  constructor(private readonly clock: Clock) {}

  claim(by: MemoryLeadership, leaderTimeoutMs: number): number | null {
    const isHeld = this.#holder !== null && this.#holder !== by;
    if (isHeld && this.clock.now() - this.#beatAt <= leaderTimeoutMs) return null;
    this.#holder = by;
    this.#beatAt = this.clock.now();
    return ++this.#epoch;
  }

  require(epoch: number): void {
    if (epoch !== this.#epoch) throw new LeadershipLost(epoch);
    this.#beatAt = this.clock.now();
  }
}
