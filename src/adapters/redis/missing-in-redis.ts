import type { Clock } from '../../domain/ports/clock.js';
import type { KnownWindow } from './known-window.js';
import { LATE_MS } from './record-script.js';
import type { RecordTurn } from './record-turn.js';
import type { RedisGuard } from './redis-guard.js';

/** Limits how many keys Redis is told of at once after it is back, so that requests are served in between. */
const KEYS_AT_ONCE = 16;

/** Tells Redis what it lacks: requests that were accepted without it, and those that it may have lost. */
export class MissingInRedis {
  readonly #telling = new Map<KnownWindow, Promise<void>>();
  #tellingAll: Promise<void> = Promise.resolve();

  constructor(
    private readonly guard: Pick<RedisGuard, 'onConnect' | 'isAwayFor'>,
    private readonly turn: RecordTurn,
    private readonly clock: Clock,
    private readonly all: ReadonlyMap<string, KnownWindow>,
  ) {
    // It may be another server, or have lost its last writes.
    this.guard.onConnect(() => {
      for (const known of this.all.values()) {
        known.own.entries.tellAllAgain();
        known.isTelling = false;
      }
      this.#tellingAll = this.#tellingAll.then(() => this.#tellAll());
    });
  }

  /** Resolves when Redis has everything of this key, or does not answer. */
  async tell(known: KnownWindow): Promise<void> {
    const underway = this.#telling.get(known);
    if (underway !== undefined) return underway;
    const telling = this.#tellNow(known).finally(() => this.#telling.delete(known));
    this.#telling.set(known, telling);
    return telling;
  }

  /** Repairs a log of which Redis counts less than this process alone has accepted: Redis lost entries, or its clock was set. */
  mend(known: KnownWindow, now: number): void {
    if (now - known.mendedAt < LATE_MS) return;
    known.mendedAt = now;
    known.own.entries.tellAllAnew();
    void this.tell(known);
  }

  async #tellAll(): Promise<void> {
    const all = this.all.values();
    const some = async () => {
      for (const known of all) {
        // In a cluster, another node may be available.
        if (!this.guard.isAwayFor(known.names.log)) await this.tell(known);
      }
    };
    await Promise.all(Array.from({ length: KEYS_AT_ONCE }, some));
  }

  async #tellNow(known: KnownWindow): Promise<void> {
    const { own } = known;
    while (own.entries.hasUntold && !known.isTelling) {
      const reply = await this.turn.ask(known, 0).answer;
      if (reply === null) return;
      own.hear(reply[1], reply[4] - reply[2], this.clock.now(), known.window);
    }
  }
}
