import type { AnswersResult } from './answers-result.js';
import type { Costs } from './costs.js';
import { zipfShares } from './random.js';
import { addressesOf, BYTES_OF_ENTRY, KINDS, type Kind, type Scenario } from './scenario.js';

/** Addresses of one organization that are requested about equally often. */
interface Bucket {
  readonly kind: Kind;
  readonly addresses: number;
  /** The requests a second for one of the addresses. */
  readonly requests: number;
  /** The edits a second of its organization. */
  readonly edits: number;
}

const STEP = 1.25;

/**
 * How long an answer stays valid and how often it is requested in this time determine how many requests find it: in
 * Redis without a limit except the lifetime, in a local cache within its size (after Che, Tung and Wang, 2002).
 * Caches have reached their final size.
 */
export function calculateAnswers(scenario: Scenario, { bytes }: Costs): AnswersResult {
  const { processes, lifetimeSeconds, requestsPerSecond } = scenario;
  const sizeNear = (kind: Kind) => bytes[kind] + BYTES_OF_ENTRY;
  const buckets = [...bucketsOf(scenario)];
  const patience = nearPatience(buckets, scenario, sizeNear);
  let [near, computed, answersInRedis, bytesInRedis] = [0, 0, 0, 0];
  const computedOf: Record<Kind, number> = { detail: 0, list: 0, search: 0 };
  for (const { kind, addresses, requests, edits } of buckets) {
    const all = addresses * requests;
    const lifetime = lifetimeSeconds[kind];
    const goodFor = (1 - Math.exp(-edits * lifetime)) / edits;
    // One request computes the answer, and later ones find it while it is valid.
    const missed = all / (1 + requests * goodFor);
    const ofProcess = requests / processes;
    const foundNear = (ofProcess / (ofProcess + edits)) * (1 - Math.exp(-(ofProcess + edits) * patience));
    near += Math.min(all * foundNear, all - missed);
    computed += missed;
    computedOf[kind] += missed;
    // A computed answer stays until its lifetime ends, even if it is not requested any more.
    answersInRedis += missed * lifetime;
    bytesInRedis += missed * lifetime * (bytes[kind] + bytes.entryInRedis);
  }
  const part = (rate: number) => rate / requestsPerSecond;
  return {
    near: part(near),
    shared: part(requestsPerSecond - near - computed),
    computed: part(computed),
    computedOf: {
      detail: part(computedOf.detail),
      list: part(computedOf.list),
      search: part(computedOf.search),
    },
    answersInRedis,
    bytesInRedis,
  };
}

/** The seconds after which an answer without requests is evicted from a local cache. */
function nearPatience(
  buckets: readonly Bucket[],
  scenario: Scenario,
  sizeOf: (kind: Kind) => number,
): number {
  const bytesAt = (seconds: number) => {
    let held = 0;
    for (const { kind, addresses, requests } of buckets)
      held += addresses * sizeOf(kind) * (1 - Math.exp((-requests / scenario.processes) * seconds));
    return held;
  };
  let [low, high] = [0, 3_600];
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (bytesAt(middle) < scenario.localCacheBytes) low = middle;
    else high = middle;
  }
  return low;
}

/** Combines organizations of about the same size, so that a hundred thousand take a second. */
function* bucketsOf(scenario: Scenario): Generator<Bucket> {
  const { organizations, requestsPerSecond, editsPerSecond, kinds, addressZipf } = scenario;
  const shares = zipfShares(organizations, scenario.organizationZipf);
  for (let first = 0; first < organizations; ) {
    const next = Math.min(organizations, Math.max(first + 1, Math.floor(first * 1.05)));
    const alike = next - first;
    const share = shares.subarray(first, next).reduce((sum, each) => sum + each, 0) / alike;
    first = next;
    for (const kind of KINDS) {
      const count = addressesOf(kind, share, scenario);
      const ofKind = share * requestsPerSecond * kinds[kind];
      const below = (rank: number) => rankPart(rank, count, addressZipf);
      for (let rank = 0; rank < count; ) {
        const end = Math.min(count, Math.max(rank + 1, Math.floor(rank * STEP)));
        const addresses = end - rank;
        const requests = (ofKind * (below(end) - below(rank))) / addresses;
        yield { kind, addresses: addresses * alike, requests, edits: share * editsPerSecond };
        rank = end;
      }
    }
  }
}

/** The share of the requests for the first ranks, by the law of `drawRank`. */
function rankPart(rank: number, ranks: number, exponent: number): number {
  const power = 1 - exponent;
  return ((rank + 1) ** power - 1) / ((ranks + 1) ** power - 1);
}
