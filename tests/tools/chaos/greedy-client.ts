import { setTimeout as pause } from 'node:timers/promises';
import { LIMIT } from './installation.js';
import type { ApiCaller, Observed, ObservedApi } from './observed-api.js';
import type { Findings, Troubles } from './troubles.js';

const ASK_EVERY_MS = 500;
/** The load of each process, as a multiple of the limit. */
const GREED = 1.3;
/** How long a process may count without Redis after Redis is available again. */
const REDIS_RETURNS_MS = 3_000;
/** Redis counts in whole milliseconds, by its own clock. */
const TOLERANCE_MS = 5;
/**
 * Redis counts requests that a process accepted without it with the age that the process reports. The two clocks
 * agree this closely.
 */
const CLOCKS_TOLERANCE_MS = 50;

interface Admitted extends Observed {
  readonly api: ObservedApi;
}

/** Sends more requests to all processes than its limit allows, and counts the accepted ones. */
export class GreedyClient {
  #admitted: Admitted[] = [];
  /** The number of windows that were checked and within the limit. If it is 0, nothing was tested. */
  windowsJudged = 0;

  constructor(
    private readonly apis: readonly ObservedApi[],
    private readonly caller: ApiCaller,
    private readonly troubles: Troubles,
    private readonly findings: Findings,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    const atOnce = Math.ceil((GREED * LIMIT.max * ASK_EVERY_MS) / LIMIT.windowMs);
    while (!stopping.aborted) {
      const askers = this.apis.flatMap((api) => Array.from({ length: atOnce }, () => this.#askOnce(api)));
      await Promise.all([...askers, pause(ASK_EVERY_MS)]);
    }
  }

  /** Requests that were sent and answered within a window count in that window. */
  judge(): void {
    const admitted = this.#admitted.toSorted((a, b) => a.sentAt - b.sentAt);
    this.#admitted = [];
    for (const api of this.apis) this.#judgeOne(api, admitted);
    this.#judgeAll(admitted);
  }

  /**
   * Checks the limit of one process, whatever the state of Redis. A killed process does not know what it accepted
   * before.
   */
  #judgeOne(api: ObservedApi, all: readonly Admitted[]): void {
    const admitted = all.filter((answer) => answer.api === api);
    for (const [first, { sentAt: from }] of admitted.entries()) {
      const to = from + LIMIT.windowMs - TOLERANCE_MS;
      if (this.troubles.overlap(new RegExp(api.name), from, to)) continue;
      const count = countOf(admitted, first, to);
      this.windowsJudged++;
      if (count <= LIMIT.max) continue;
      this.#complain(`${api.name} alone`, count, from, to);
      return;
    }
  }

  /**
   * Checks the limit of all processes together in windows in which Redis was available throughout: it does not know
   * what they accepted without it. Each window ends with the last request in it.
   */
  #judgeAll(admitted: readonly Admitted[]): void {
    let first = 0;
    for (const { sentAt, receivedAt } of admitted) {
      const from = receivedAt - LIMIT.windowMs + CLOCKS_TOLERANCE_MS;
      while ((admitted[first]?.sentAt ?? from) < from) first++;
      if (this.troubles.overlap(/redis/, from, receivedAt, REDIS_RETURNS_MS)) continue;
      if (this.apis.some(({ name }) => this.troubles.overlap(new RegExp(name), from, receivedAt))) continue;
      const count = countOf(admitted, first, sentAt) + 1;
      this.windowsJudged++;
      if (count <= LIMIT.max) continue;
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

/**
 * Counts the answers, from the first on, that were sent and received before `to`. They are ordered by the time of
 * sending.
 */
function countOf(admitted: readonly Admitted[], first: number, to: number): number {
  let count = 0;
  for (let n = first; (admitted[n]?.sentAt ?? to) < to; n++) {
    if ((admitted[n]?.receivedAt ?? to) < to) count++;
  }
  return count;
}
