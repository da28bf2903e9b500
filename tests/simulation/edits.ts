import type { Costs } from './costs.js';
import { drawFrom, randomFrom, zipfShares } from './random.js';
import type { Scenario } from './scenario.js';

/** The time within which a job step ends while edits wait. */
const STEP_MS = 30;
const MAX_BATCH = 1_000;
const SECONDS = 300;
const MS = 1_000;

export interface EditsResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The blogs a second that are rewritten because their category was renamed. */
  readonly fanOutPerSecond: number;
  /** How long the leader would take for the fan-out that is left at the end. */
  readonly backlogSeconds: number;
}

/**
 * One leader takes the waiting edits, up to a batch. It works on longer jobs in steps: whenever no edit waits, and at
 * least one step between two batches. An edit is shown when its batch is written.
 */
export function simulateEdits(scenario: Scenario, { edit }: Costs): EditsResult {
  const random = randomFrom(scenario.seed + 1);
  const shares = zipfShares(scenario.organizations, scenario.organizationZipf);
  const drawOrganization = drawFrom(shares, random);
  const waiting: number[] = [];
  const taken: number[] = [];
  let [now, next, backlogMs, fannedOut] = [0, 0, 0, 0];

  while (now < SECONDS * MS) {
    while (next <= now) {
      waiting.push(next);
      const organization = drawOrganization();
      if (random() < scenario.renames) {
        const rewritten = (shares[organization] as number) * scenario.blogs * scenario.blogsOfCategory;
        fannedOut += rewritten;
        backlogMs += rewritten * edit.fanOutMs;
      }
      next -= (Math.log(1 - random()) * MS) / scenario.editsPerSecond;
    }
    const batch = waiting.splice(0, MAX_BATCH);
    const stepMs = Math.min(backlogMs, STEP_MS);
    backlogMs -= stepMs;
    if (batch.length === 0 && stepMs === 0) {
      now = next;
      continue;
    }
    const took = batch.length === 0 ? 0 : edit.aloneMs + batch.length * edit.fanOutMs;
    now += took;
    for (const came of batch) taken.push(now - came);
    now += stepMs;
  }
  taken.sort((a, b) => a - b);
  const percentile = (part: number) => taken[Math.floor(taken.length * part)] ?? Number.NaN;
  return {
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    fanOutPerSecond: fannedOut / SECONDS,
    backlogSeconds: backlogMs / MS,
  };
}
