import type { Clock } from '../../domain/ports/clock.js';
import type { KnownWindow } from './known-window.js';
import { LATE_MS } from './record-script.js';
import type { RecordTurn } from './record-turn.js';
import type { RedisGuard } from './redis-guard.js';

/** Of all that are told when Redis is back: requests come between. */
const KEYS_AT_ONCE = 16;

/** Tells Redis what it lacks: what was accepted without it, and what it may have forgotten. */
export class MissingInRedis {
  readonly #telling = new Map<KnownWindow, Promise<void>>();
  #tellingAll: Promise<void> = Promise.resolve();

  constructor(
    private readonly guard: Pick<RedisGuard, 'onConnect' | 'isAwayFor'>,
    private readonly turn: RecordTurn,
    private readonly clock: Clock,
    private readonly all: ReadonlyMap<string, KnownWindow>,
  ) {
    // It may be another server, or have forgotten the last it was told.
    this.guard.onConnect(() => {
      for (const known of this.all.values()) {
        known.own.entries.tellAllAgain();
        known.isTelling = false;
      }
      this.#tellingAll = this.#tellingAll.then(() => this.#tellAll());
    });
  }

  /** Until Redis has all of this key, or does not listen. */
  async tell(known: KnownWindow): Promise<void> {
    const underway = this.#telling.get(known);
    if (underway !== undefined) return underway;
    const telling = this.#tellNow(known).finally(() => this.#telling.delete(known));
    this.#telling.set(known, telling);
    return telling;
  }

  /** Redis counts less than this process alone accepted: it has forgotten, or its clock was set. */
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
        // Of a cluster, another node may be there.
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
