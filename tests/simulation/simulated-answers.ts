import { LRUCache } from 'lru-cache';
import type { AnswersResult } from './answers-result.js';
import type { Costs } from './costs.js';
import { drawFrom, drawRank, randomFrom, zipfShares } from './random.js';
import { addressesOf, BYTES_OF_ENTRY, KINDS, type Kind, type Scenario } from './scenario.js';

/** The most addresses of one organization, so that an address is a number. */
const ADDRESSES = 2 ** 24;

interface Kept {
  readonly generation: number;
  readonly until: number;
  readonly bytes: number;
}

/**
 * Simulates each request and edit, beginning with empty caches. An edit raises the generation of its organization,
 * which makes all its answers obsolete. A request goes to a random process. Its answer comes from the local cache,
 * from Redis, or is computed.
 */
export function simulateAnswers(scenario: Scenario, { bytes }: Costs): AnswersResult {
  const { organizations, kinds, lifetimeSeconds, processes, warmUpSeconds } = scenario;
  const random = randomFrom(scenario.seed);
  const shares = zipfShares(organizations, scenario.organizationZipf);
  const drawOrganization = drawFrom(shares, random);
  const generations = new Uint32Array(organizations);
  const near = Array.from({ length: processes }, () => localCache(scenario.localCacheBytes));
  const shared = new Map<number, Kept>();
  const counts = { near: 0, shared: 0, computed: 0 };
  const computedOf: Record<Kind, number> = { detail: 0, list: 0, search: 0 };
  const stored: Kept[] = [];

  const end = warmUpSeconds + scenario.measuredSeconds;
  const eventsPerSecond = scenario.requestsPerSecond + scenario.editsPerSecond;
  for (let event = 0; event < end * eventsPerSecond; event++) {
    const now = event / eventsPerSecond;
    const organization = drawOrganization();
    if (random() * eventsPerSecond < scenario.editsPerSecond) {
      generations[organization] = (generations[organization] as number) + 1;
      continue;
    }
    const kind = kindOf(random(), kinds);
    const rank = drawRank(
      addressesOf(kind, shares[organization] as number, scenario),
      scenario.addressZipf,
      random,
    );
    const address = organization * ADDRESSES + KINDS.indexOf(kind) + KINDS.length * rank;
    const cache = near[Math.floor(random() * processes)] as LRUCache<number, Kept>;
    const generation = generations[organization] as number;
    const isGood = (kept: Kept | undefined): kept is Kept =>
      kept !== undefined && kept.generation === generation && now < kept.until;

    let found: keyof typeof counts = 'near';
    if (!isGood(cache.get(address))) {
      found = 'shared';
      let kept = shared.get(address);
      if (!isGood(kept)) {
        kept = { generation, until: now + lifetimeSeconds[kind], bytes: bytes[kind] };
        shared.set(address, kept);
        stored.push(kept);
        found = 'computed';
      }
      cache.set(address, kept);
    }
    if (now < warmUpSeconds) continue;
    counts[found]++;
    if (found === 'computed') computedOf[kind]++;
  }

  const all = counts.near + counts.shared + counts.computed;
  const part = (count: number) => count / all;
  const alive = stored.filter(({ until }) => until > end);
  return {
    near: part(counts.near),
    shared: part(counts.shared),
    computed: part(counts.computed),
    computedOf: {
      detail: part(computedOf.detail),
      list: part(computedOf.list),
      search: part(computedOf.search),
    },
    answersInRedis: alive.length,
    bytesInRedis: alive.reduce((sum, kept) => sum + kept.bytes + bytes.entryInRedis, 0),
  };
}

/** Limited in bytes, like a local cache: the least recently used answer is evicted first. */
function localCache(maxSize: number): LRUCache<number, Kept> {
  return new LRUCache({ maxSize, sizeCalculation: (kept) => kept.bytes + BYTES_OF_ENTRY });
}

function kindOf(drawn: number, kinds: Scenario['kinds']): Kind {
  let rest = drawn;
  for (const kind of KINDS) {
    rest -= kinds[kind];
    if (rest < 0) return kind;
  }
  return 'detail';
}
