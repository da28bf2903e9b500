import type { Clock } from '../../domain/ports/clock.js';
import type { KnownWindow } from './known-window.js';
import type { RecordBatcher } from './record-batcher.js';
import { LATE_MS } from './record-script.js';
import type { RedisBreaker } from './redis-breaker.js';

/** Limits how many keys are replayed at once after Redis is back, so that requests are served in between. */
const KEYS_PER_BATCH = 16;

/** Replays accepted requests that Redis lacks: those of an outage, and those that it may have lost. */
export class RequestReplay {
  readonly #replaying = new Map<KnownWindow, Promise<void>>();
  #replayingAll: Promise<void> = Promise.resolve();

  constructor(
    private readonly breaker: Pick<RedisBreaker, 'onConnect' | 'isOpenFor'>,
    private readonly batcher: RecordBatcher,
    private readonly clock: Clock,
    private readonly all: ReadonlyMap<string, KnownWindow>,
  ) {
    // It may be another server, or have lost its last writes.
    this.breaker.onConnect(() => {
      for (const known of this.all.values()) {
        known.own.entries.replayAll();
        known.isReplaying = false;
      }
      this.#replayingAll = this.#replayingAll.then(() => this.#replayAll());
    });
  }

  /** Resolves when Redis has everything of this key, or does not answer. */
  async replay(known: KnownWindow): Promise<void> {
    const running = this.#replaying.get(known);
    if (running !== undefined) return running;
    const replaying = this.#replayNow(known).finally(() => this.#replaying.delete(known));
    this.#replaying.set(known, replaying);
    return replaying;
  }

  /** Repairs a log of which Redis counts less than this process alone has accepted: Redis lost entries, or its clock was set. */
  repair(known: KnownWindow, now: number): void {
    if (now - known.repairedAt < LATE_MS) return;
    known.repairedAt = now;
    known.own.entries.replayAllWithNewMarks();
    void this.replay(known);
  }

  async #replayAll(): Promise<void> {
    const all = this.all.values();
    const some = async () => {
      for (const known of all) {
        // In a cluster, another node may be available.
        if (!this.breaker.isOpenFor(known.names.log)) await this.replay(known);
      }
    };
    await Promise.all(Array.from({ length: KEYS_PER_BATCH }, some));
  }

  async #replayNow(known: KnownWindow): Promise<void> {
    const { own } = known;
    while (own.entries.hasEntriesToReplay && !known.isReplaying) {
      const reply = await this.batcher.add(known, 0).reply;
      if (reply === null) return;
      own.setReport(reply[1], reply[4] - reply[2], this.clock.now(), known.window);
    }
  }
}
