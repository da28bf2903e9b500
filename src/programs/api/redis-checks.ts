import { ANSWERS } from '../../adapters/redis/cache/redis-response-cache.js';
import type { RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import type { RedisFacts, RedisProbe } from '../../adapters/redis/connection/redis-probe.js';
import { LIMITS } from '../../adapters/redis/rate-limit/redis-request-log.js';
import type { Check, Finding } from '../../domain/model/finding.js';
import { adviceOnRedis, clockCheck } from '../admin/checks.js';
import { before, check, checkBy, failure, ok, thorough, warning } from '../admin/examine.js';
import type { Probe } from '../admin/probe.js';

const MIN_MAJOR_VERSION = 6;
const ALLKEYS_LRU = 'set maxmemory, and maxmemory-policy to allkeys-lru';
const NOT_NAMED =
  'Redis is not used before the read tables answer: their identity is part of each name in Redis';

/** What Redis is used for, by the names of the checks. */
const PURPOSES = { redis: LIMITS, redisCache: ANSWERS };
type Use = keyof typeof PURPOSES;
export type RedisUses = readonly [Use, ...Use[]];

/** Redis as an API process sees it. */
export function redisCheck(use: Use, breaker: RedisBreaker): Check {
  return checkBy(use, async () => {
    if (await breaker.answers()) return ok('answers');
    const { isNamed, reason } = breaker;
    if (!isNamed) return warning(NOT_NAMED, null, 'notNamed');
    const because = reason === null ? '' : ` (${reason})`;
    return failure(`${PURPOSES[use].opened}${because}`, adviceOnRedis('the address of Redis'), 'unread');
  });
}

const SERVER_CHECKS = {
  redis: { server: 'redisServer', clock: 'redisClock' },
  redisCache: { server: 'redisCacheServer', clock: 'redisCacheClock' },
};

/** Redis as the doctor sees it. With two servers, each may evict different data. */
export function redisServerChecks(
  uses: RedisUses,
  variable: string,
  redis: Probe<RedisProbe>,
): readonly Check[] {
  const { server, clock } = SERVER_CHECKS[uses[0]];
  const adviceOn = () => adviceOnRedis(variable);
  const facts = () => redis.query((probe) => probe.facts());
  const judge = (servers: readonly RedisFacts[]) => {
    const findings = servers.map((facts) => serverFinding(facts, uses, variable));
    const wrong = findings.find(({ outcome }) => outcome !== 'ok');
    return wrong ?? ok(findings.map(({ message }) => message).join('; '));
  };
  return before(thorough(check(server, adviceOn, facts, judge)), [
    clockCheck(clock, server, () => redis.query((probe) => probe.timeMs())),
    ...uses.map((use) => {
      const send = () => redis.query((probe) => probe.tryOut(PURPOSES[use].probe));
      return check(use, adviceOn, send, () => ok('answers all that requests send'));
    }),
  ]);
}

/** Answers can be computed again, and request logs cannot. Every key of both expires. */
function serverFinding(
  { version, isReplica, evictionPolicy, maxMemoryBytes }: RedisFacts,
  uses: readonly Use[],
  variable: string,
): Finding {
  const hasLimits = uses.includes('redis');
  const hasAnswers = uses.includes('redisCache');
  if (Number.parseInt(version, 10) < MIN_MAJOR_VERSION)
    return failure(`Redis ${version} answers`, `upgrade Redis to ${MIN_MAJOR_VERSION} or later`, 'tooOld');
  if (isReplica) {
    const message = 'a replica: it refuses writes, and counts as unavailable';
    return failure(message, `set ${variable} to the primary`, 'replica');
  }
  const fine = ok(`Redis ${version} answers, with ${evictionPolicy}`);
  if (!hasAnswers && (maxMemoryBytes === 0 || evictionPolicy === 'noeviction')) return fine;
  if (!hasAnswers)
    return warning(
      `${evictionPolicy}: may evict the request logs of keys, so their windows start again`,
      'set maxmemory, and maxmemory-policy to noeviction: the data is small, and every key expires',
      'evicts',
    );
  if (maxMemoryBytes === 0)
    return warning('no maxmemory: Redis may use all memory of its machine', ALLKEYS_LRU, 'unlimited');
  if (evictionPolicy === 'noeviction') {
    const message = 'noeviction: a full Redis refuses writes, and counts as unavailable';
    return warning(message, ALLKEYS_LRU, 'refuses');
  }
  if (!hasLimits || !/-(ttl|random)$/.test(evictionPolicy)) return fine;
  return warning(
    `${evictionPolicy}: evicts the request logs of busy keys too, so their windows start again`,
    ALLKEYS_LRU,
    'evicts',
  );
}
