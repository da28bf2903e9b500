import { setTimeout as pause } from 'node:timers/promises';
import type { Findings } from './findings.js';
import type { ApiCaller, Observed, ObservedApi } from './observed-api.js';
import type { Troubles } from './troubles.js';

const ASK_EVERY_MS = 500;
/** Of each process, as a multiple of what the limit allows it. */
const GREED = 1.3;
/** How long after its return each process may still count for itself. */
const REDIS_RETURNS_MS = 3_000;
/** Redis counts in whole milliseconds, on a clock of its own. */
const TOLERANCE_MS = 5;
/** What a process accepted without Redis is counted later, as old as the process says: how far apart the two clocks are is known this well. */
const CLOCKS_TOLERANCE_MS = 50;

interface Admitted extends Observed {
  readonly api: ObservedApi;
}

/** Asks all processes for more than its limit allows, and counts what it is given. */
export class GreedyClient {
  #admitted: Admitted[] = [];
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
    const atOnce = Math.ceil((GREED * this.limit.max * ASK_EVERY_MS) / this.limit.windowMs);
    while (!stopping.aborted) {
      const askers = this.apis.flatMap((api) => Array.from({ length: atOnce }, () => this.#askOnce(api)));
      await Promise.all([...askers, pause(ASK_EVERY_MS)]);
    }
  }

  /** What was sent and answered within a window was counted within it. */
  judge(): void {
    const admitted = this.#admitted.toSorted((a, b) => a.sentAt - b.sentAt);
    this.#admitted = [];
    for (const api of this.apis) this.#judgeOne(api, admitted);
    this.#judgeAll(admitted);
  }

  /** Each process for itself, whatever Redis does. Who was killed knows nothing of what he accepted before. */
  #judgeOne(api: ObservedApi, all: readonly Admitted[]): void {
    const admitted = all.filter((answer) => answer.api === api);
    for (const [first, { sentAt: from }] of admitted.entries()) {
      const to = from + this.limit.windowMs - TOLERANCE_MS;
      if (this.troubles.overlap(api.name, from, to)) continue;
      const count = countOf(admitted, first, to);
      this.windowsJudged++;
      if (count <= this.limit.max * api.processes) continue;
      this.#complain(`${api.name} alone`, count, from, to);
      return;
    }
  }

  /** While Redis is there, and what they accepted without it counts then, too: so a window is judged by the last that it let in. */
  #judgeAll(admitted: readonly Admitted[]): void {
    let first = 0;
    for (const { sentAt, receivedAt } of admitted) {
      const from = receivedAt - this.limit.windowMs + CLOCKS_TOLERANCE_MS;
      while ((admitted[first]?.sentAt ?? from) < from) first++;
      if (this.troubles.overlap(/redis/, sentAt, receivedAt, REDIS_RETURNS_MS)) continue;
      if (this.apis.some(({ name }) => this.troubles.overlap(name, from, receivedAt))) continue;
      const count = countOf(admitted, first, sentAt) + 1;
      this.windowsJudged++;
      if (count <= this.limit.max) continue;
      this.#complain('all together', count, from, receivedAt);
      return;
    }
  }

  #complain(who: string, count: number, from: number, to: number): void {
    this.findings.add(
      `${count} requests of one key were let in by ${who} from ${from.toFixed(0)} to ${to.toFixed(0)}`,
    );
  }

  async #askOnce(api: ObservedApi): Promise<void> {
    const answer = await api.get(this.caller, '/api/v1/tags');
    if (answer?.status === 200) this.#admitted.push({ ...answer, api });
  }
}

/** Those from the first on that were sent and answered before that time. They are in the order in which they were sent. */
function countOf(admitted: readonly Admitted[], first: number, to: number): number {
  let count = 0;
  for (let n = first; (admitted[n]?.sentAt ?? to) < to; n++) {
    if ((admitted[n]?.receivedAt ?? to) < to) count++;
  }
  return count;
}
