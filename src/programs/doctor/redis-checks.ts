import { ANSWERS } from '../../adapters/redis/cache/redis-response-cache.js';
import type { RedisPurpose } from '../../adapters/redis/connection/redis-breaker.js';
import { type RedisFacts, RedisProbe } from '../../adapters/redis/connection/redis-probe.js';
import { LIMITS } from '../../adapters/redis/rate-limit/redis-request-log.js';
import type { Examined, Finding } from '../../domain/model/finding.js';
import { adviceOnRedis } from '../admin/checks.js';
import { before, check, examineInTurn, failure, inTime, ok, warning } from '../admin/examine.js';
import { clockCheck } from './clock-check.js';

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

export async function examineRedis(
  use: RedisUse,
  urls: readonly string[],
  timeoutMs: number,
): Promise<readonly Examined[]> {
  const { name, variable, keeps } = use;
  const redis = new RedisProbe(urls);
  const adviceOn = () => adviceOnRedis(variable);
  const factsCheck = (what: string, judge: (facts: RedisFacts, use: RedisUse) => Finding) =>
    check(
      `${name}: ${what}`,
      adviceOn,
      () => redis.facts(),
      (servers) => worst(servers.map((facts) => judge(facts, use))),
    );
  const connection = check(
    name,
    adviceOn,
    () => redis.countServers(),
    (servers) => ok(servers === 1 ? 'answers' : `a cluster, whose ${servers} masters answer`),
  );
  const commands = check(
    `${name}: commands`,
    adviceOn,
    () => Promise.all(PROBES[keeps].map((probe) => redis.tryOut(probe))),
    () => ok('all that requests need are allowed'),
  );
  const uses = before(factsCheck('role', roleFinding), [
    factsCheck('memory', memoryFinding),
    commands,
    clockCheck(name, () => redis.timeMs()),
  ]);
  const checks = before(connection, before(factsCheck('version', versionFinding), uses));
  try {
    return await examineInTurn(checks.map((check) => inTime(timeoutMs, check)));
  } finally {
    redis.close();
  }
}

function worst(findings: readonly Finding[]): Finding {
  return findings.find(({ outcome }) => outcome !== 'ok') ?? (findings[0] as Finding);
}

function versionFinding({ version }: RedisFacts): Finding {
  const isTooOld = Number.parseInt(version, 10) < MIN_MAJOR_VERSION;
  return isTooOld ? failure(version, `upgrade Redis to ${MIN_MAJOR_VERSION} or later`) : ok(version);
}

function roleFinding({ isReplica }: RedisFacts, { variable }: RedisUse): Finding {
  if (!isReplica) return ok('accepts writes');
  return failure('a replica: it refuses writes, and counts as unavailable', `set ${variable} to the primary`);
}

/** Answers can be computed again, and request logs cannot. Every key of both expires. */
function memoryFinding({ evictionPolicy, maxMemoryBytes }: RedisFacts, { keeps }: RedisUse): Finding {
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
