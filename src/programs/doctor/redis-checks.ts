import type { Finding } from '../../adapters/cli/doctor-report.js';
import { ANSWERS } from '../../adapters/redis/cache/redis-response-cache.js';
import type { RedisPurpose } from '../../adapters/redis/connection/redis-breaker.js';
import { type RedisFacts, RedisProbe } from '../../adapters/redis/connection/redis-probe.js';
import { LIMITS } from '../../adapters/redis/rate-limit/redis-request-log.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { check, examine, failure, type HealthCheck, ok, type Verdict, warning } from './health-check.js';

const MIN_MAJOR_VERSION = 6;
const ALLKEYS_LRU = 'set maxmemory, and maxmemory-policy to allkeys-lru';

/** What a Redis is used for. With two of them, each may evict different data. */
export interface RedisUse {
  readonly name: string;
  readonly variable: string;
  readonly keeps: 'limits and answers' | 'limits' | 'answers';
}

/** What requests send. */
const PROBES: Readonly<Record<RedisUse['keeps'], readonly RedisPurpose['probe'][]>> = {
  'limits and answers': [LIMITS.probe, ANSWERS.probe],
  limits: [LIMITS.probe],
  answers: [ANSWERS.probe],
};

type RunQuery = <Fact>(query: (redis: RedisProbe) => Promise<Fact>) => Promise<Fact>;

export async function examineRedis(
  use: RedisUse,
  urls: readonly string[],
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const { name, variable } = use;
  const redis = new RedisProbe(urls);
  const runQuery: RunQuery = (query) => withTimeLimit(timeoutMs, query(redis));
  const connection = check(
    name,
    `check that the server runs and accepts connections from here, and that ${variable} is correct`,
    () => runQuery(() => redis.countServers()),
    (servers) => ok(servers === 1 ? 'answers' : `a cluster, whose ${servers} masters answer`),
  );
  try {
    return await examine(
      [
        connection,
        factsCheck(use, 'version', runQuery, versionVerdict),
        factsCheck(use, 'role', runQuery, roleVerdict),
      ],
      [factsCheck(use, 'memory', runQuery, memoryVerdict), commandsCheck(use, runQuery)],
    );
  } finally {
    redis.close();
  }
}

function factsCheck(
  use: RedisUse,
  what: string,
  runQuery: RunQuery,
  judge: (facts: RedisFacts, use: RedisUse) => Verdict,
): HealthCheck {
  const read = () => runQuery((redis) => redis.facts());
  return check(`${use.name}: ${what}`, `see ${use.name}`, read, (servers) =>
    worst(servers.map((facts) => judge(facts, use))),
  );
}

function commandsCheck({ name, variable, keeps }: RedisUse, runQuery: RunQuery): HealthCheck {
  return check(
    `${name}: commands`,
    `if the user of ${variable} lacks a right: docs/operations/servers.md lists all that it needs`,
    () => runQuery((redis) => Promise.all(PROBES[keeps].map((probe) => redis.tryOut(probe)))),
    () => ok('all that requests need are allowed'),
  );
}

function worst(verdicts: readonly Verdict[]): Verdict {
  const [first, ...otherVerdicts] = verdicts as [Verdict];
  return otherVerdicts.reduce((a, b) => (a.outcome === 'ok' ? b : a), first);
}

function versionVerdict({ version }: RedisFacts): Verdict {
  const isTooOld = Number.parseInt(version, 10) < MIN_MAJOR_VERSION;
  return isTooOld ? failure(version, `upgrade Redis to ${MIN_MAJOR_VERSION} or later`) : ok(version);
}

function roleVerdict({ isReplica }: RedisFacts, { variable }: RedisUse): Verdict {
  if (!isReplica) return ok('accepts writes');
  return failure('a replica: it refuses writes, and counts as unavailable', `set ${variable} to the primary`);
}

/** Answers can be computed again, and request logs cannot. Every key of both expires. */
function memoryVerdict({ evictionPolicy, maxMemoryBytes }: RedisFacts, { keeps }: RedisUse): Verdict {
  if (keeps === 'limits') {
    if (maxMemoryBytes === 0 || evictionPolicy === 'noeviction') return ok(evictionPolicy);
    return warning(
      `${evictionPolicy}: may evict the request logs of keys, so their windows start again`,
      'set maxmemory, and maxmemory-policy to noeviction: the data is small, and every key expires',
    );
  }
  if (maxMemoryBytes === 0) {
    return warning('no maxmemory: Redis may use all memory of its machine', ALLKEYS_LRU);
  }
  if (evictionPolicy === 'noeviction') {
    return warning('noeviction: a full Redis refuses writes, and counts as unavailable', ALLKEYS_LRU);
  }
  if (keeps !== 'answers' && /-(ttl|random)$/.test(evictionPolicy)) {
    return warning(
      `${evictionPolicy}: evicts the request logs of busy keys too, so their windows start again`,
      ALLKEYS_LRU,
    );
  }
  return ok(`${evictionPolicy}, ${Math.round(maxMemoryBytes / 1024 / 1024)} MB`);
}
