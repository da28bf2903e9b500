import type { RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import type { SharedAnswers } from '../../application/requests/shared-answers.js';
import type { Check } from '../../domain/model/finding.js';
import { adviceOnRedis } from '../admin/checks.js';
import { checkBy, failure, findingOf, inTime, ok, warning } from '../admin/examine.js';

/** Below the time limit of `/readyz`. */
const CHECK_OF_READ_TABLES_MS = 400;
const WITHOUT_REDIS = {
  redis: 'Redis is unavailable: this process continues without it',
  redisCache: 'the shared cache is unavailable: this process computes and caches its own answers',
};
const NOT_NAMED =
  'Redis is not used before the read tables answer: their identity is part of each name in Redis';

export function redisCheck(breaker: RedisBreaker, name: keyof typeof WITHOUT_REDIS = 'redis'): Check {
  return checkBy(name, async () => {
    if (await breaker.answers()) return ok('answers');
    const { isNamed, reason } = breaker;
    if (!isNamed) return warning(NOT_NAMED, null);
    const because = reason === null ? '' : ` (${reason})`;
    return failure(`${WITHOUT_REDIS[name]}${because}`, adviceOnRedis('the address of Redis'));
  });
}

export function cacheCheck(answers: Pick<SharedAnswers, 'reason'>, extension: string): Check {
  return checkBy('responseCache', async () => {
    const { reason } = answers;
    return reason === null
      ? ok('works')
      : failure(`the shared cache fails: ${reason}`, `see extension ${extension}`);
  });
}

/** Out of service, an outage of the tables would be one of the API, which still has answers. */
export function unlessAnswersAreLeft(check: Check, areLeft: () => Promise<boolean>): Check {
  const run = async () => {
    const checked = findingOf(inTime(CHECK_OF_READ_TABLES_MS, check));
    const [finding, hasAnswers] = await Promise.all([checked, areLeft()]);
    if (finding.outcome !== 'failure' || !hasAnswers) return finding;
    return warning(`answers come from the cache: ${finding.message}`, finding.advice);
  };
  return { ...check, run };
}
