import { setTimeout as pause } from 'node:timers/promises';
import type { Findings } from './findings.js';
import type { ApiCaller, Observed, ObservedApi } from './observed-api.js';
import type { Troubles } from './troubles.js';

const AT_ONCE = 40;
const ASK_EVERY_MS = 500;
/** How long after its return each process may still count for itself. */
const REDIS_RETURNS_MS = 3_000;
/** Redis counts in whole milliseconds, on a clock of its own. */
const TOLERANCE_MS = 5;

/** Asks all processes for more than its limit allows, and counts what it is given. */
export class GreedyClient {
  #admitted: Observed[] = [];
  /** Times that were looked at and found to be within the limit: without any, nothing was tested. */
  windowsJudged = 0;

  constructor(
    private readonly apis: readonly ObservedApi[],
    private readonly caller: ApiCaller,
    private readonly limit: { readonly max: number; readonly windowMs: number },
    private readonly troubles: Troubles,
    private readonly findings: Findings,
  ) {}

  async ask(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const askers = this.apis.flatMap((api) => Array.from({ length: AT_ONCE }, () => this.#askOnce(api)));
      await Promise.all([...askers, pause(ASK_EVERY_MS)]);
    }
  }

  /** What was sent and answered within a window was counted within it, so there can be no more of it than the limit. */
  judge(): void {
    const length = this.limit.windowMs - TOLERANCE_MS;
    const admitted = this.#admitted.toSorted((a, b) => a.sentAt - b.sentAt);
    this.#admitted = [];
    for (const [first, { sentAt: from }] of admitted.entries()) {
      const to = from + length;
      if (this.troubles.overlap('redis', from, to, REDIS_RETURNS_MS)) continue;
      let count = 0;
      for (let n = first; (admitted[n]?.sentAt ?? to) < to; n++) {
        if ((admitted[n]?.receivedAt ?? to) < to) count++;
      }
      this.windowsJudged++;
      if (count > this.limit.max) {
        this.findings.add(
          `${count} requests of one key were let in from ${from.toFixed(0)} to ${to.toFixed(0)}`,
        );
        return;
      }
    }
  }

  async #askOnce(api: ObservedApi): Promise<void> {
    const answer = await api.get(this.caller, '/api/v1/tags');
    if (answer?.status === 200) this.#admitted.push(answer);
  }
}
