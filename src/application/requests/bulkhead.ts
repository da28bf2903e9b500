import type { Clock } from '../../domain/ports/system/clock.js';

export interface BulkheadBounds {
  /** Of all organizations; the rest of the storage's capacity is for keys and generations. */
  readonly total: number;
  readonly perOrganization: number;
  readonly maxWaitMs: number;
}

interface Waiting {
  readonly since: number;
  enter(): void;
  giveUp(): void;
}

/**
 * Limits the concurrent computations of each organization, and serves waiting organizations in
 * turn. What has waited too long is refused: the storage is slow, and callers have time limits.
 */
export class Bulkhead {
  /** The next organization to serve comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(
    private readonly bounds: BulkheadBounds,
    /** A monotonic clock. */
    private readonly clock: Clock,
  ) {}

  async compute<Result>(organizationId: string, compute: () => Promise<Result>): Promise<Result> {
    if (this.#hasRoom(organizationId)) this.#enter(organizationId);
    else await this.#wait(organizationId);
    try {
      return await compute();
    } finally {
      this.#leave(organizationId);
    }
  }

  #hasRoom(organizationId: string): boolean {
    return (
      this.#total < this.bounds.total &&
      (this.#running.get(organizationId) ?? 0) < this.bounds.perOrganization
    );
  }

  #enter(organizationId: string): void {
    this.#total++;
    this.#running.set(organizationId, (this.#running.get(organizationId) ?? 0) + 1);
  }

  #wait(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(organizationId) ?? [];
      this.#queues.set(organizationId, queue);
      const giveUp = () =>
        reject(new Error(`A computation for organization ${organizationId} waited too long for its turn`));
      queue.push({ since: this.clock.now(), enter: resolve, giveUp });
    });
  }

  #leave(organizationId: string): void {
    const runningCount = (this.#running.get(organizationId) ?? 0) - 1;
    if (runningCount === 0) this.#running.delete(organizationId);
    else this.#running.set(organizationId, runningCount);
    this.#total--;
    this.#refuseLate();
    for (const [waitingId, queue] of this.#queues) {
      if (!this.#hasRoom(waitingId)) continue;
      const first = queue.shift();
      // Moves the organization to the end of the order, or removes it.
      this.#queues.delete(waitingId);
      if (queue.length > 0) this.#queues.set(waitingId, queue);
      if (first === undefined) continue;
      this.#enter(waitingId);
      first.enter();
    }
  }

  #refuseLate(): void {
    const now = this.clock.now();
    for (const queue of this.#queues.values()) {
      while (queue[0] !== undefined && now - queue[0].since > this.bounds.maxWaitMs) queue.shift()?.giveUp();
    }
  }
}
