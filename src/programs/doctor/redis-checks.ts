import {
  COMMANDS_OF,
  type RedisFacts,
  type RedisProbe,
  type RedisUserRights,
} from '../../adapters/redis/connection/redis-probe.js';
import type { Clock } from '../../domain/ports/clock.js';
import { clockSkew } from './clock-skew.js';
import { failure, type HealthCheck, ok, type Verdict, warning } from './health-check.js';

const MIN_MAJOR_VERSION = 6;
/** Each request waits for two round trips. */
const TOLERATED_ROUND_TRIP_MS = 10;
/** The time limit of each command in a request. */
const COMMAND_TIMEOUT_MS = 100;
const ALLKEYS_LRU = 'set maxmemory, and maxmemory-policy to allkeys-lru';
const NOEVICTION =
  'set maxmemory, and maxmemory-policy to noeviction: the data is small, and every key expires';

/** Selected by the error of the last connection attempt. */
const CONNECTION_ADVICE: readonly (readonly [RegExp, (variable: string) => string])[] = [
  [/WRONGPASS|NOAUTH|invalid password/, (variable) => `correct the user and the password in ${variable}`],
  [/DB index is out of range/, (variable) => `use a database number in ${variable} that the server has`],
  [
    /NOPERM.*select/s,
    (variable) => `omit the database number in ${variable}, or give the user the permission +select`,
  ],
  [/node of a Redis Cluster/, (variable) => `write ${variable} as redis://one:6379,redis://other:6379`],
  [
    /cluster support disabled/,
    (variable) => `write only one address in ${variable}: several addresses mean a cluster`,
  ],
  [
    /No such master|invalid reply: null/,
    (variable) => `use a master name in ${variable} that the sentinels know (SENTINEL MASTERS lists them)`,
  ],
  [
    /wrong version number|packet length|ETIMEDOUT/,
    (variable) =>
      `check the host and the port in ${variable}, and use rediss:// if the server only accepts TLS`,
  ],
  [
    /certificate|altnames/i,
    (variable) =>
      `set NODE_EXTRA_CA_CERTS to the certificate of its authority, and use the host name of the certificate in ${variable}`,
  ],
  [/ENOTFOUND|EAI_AGAIN/, (variable) => `use a host name in ${variable} that can be resolved from here`],
];

/** What a Redis is used for. With two of them, each may evict different data. */
export interface RedisUse {
  readonly name: string;
  readonly variable: string;
  readonly keeps: 'limits and answers' | 'limits' | 'answers';
  /** The program that uses this user. */
  readonly program: keyof typeof COMMANDS_OF;
}

type RunQuery = <Fact>(question: (redis: RedisProbe) => Promise<Fact>) => Promise<Fact>;

export function redisConnectionCheck({ name, variable }: RedisUse, runQuery: RunQuery): HealthCheck {
  return {
    name,
    ifItFails: `check that the server runs and accepts connections from here, and that ${variable} is correct`,
    run: async () => {
      let servers: number;
      try {
        servers = await runQuery((redis) => redis.countServers());
      } catch (error) {
        const { message } = error as Error;
        const [, advice] = CONNECTION_ADVICE.find(([cause]) => cause.test(message)) ?? [];
        if (advice === undefined) throw error;
        return failure(message, advice(variable));
      }
      return ok(servers === 1 ? 'answers' : `a cluster, whose ${servers} masters answer`);
    },
  };
}

export function redisChecks(use: RedisUse, runQuery: RunQuery, clock: Clock): readonly HealthCheck[] {
  const check = (name: string, judge: () => Promise<Verdict>): HealthCheck => ({
    name: `${use.name}: ${name}`,
    ifItFails: `see ${use.name}`,
    run: judge,
  });
  const ofWorst = (judge: (facts: RedisFacts) => Verdict) => async () =>
    worst((await runQuery((redis) => redis.facts())).map(judge));
  const commands = COMMANDS_OF[use.program];
  return [
    check('rights', async () =>
      worst((await runQuery((redis) => redis.rights(commands))).map(rightsVerdict)),
    ),
    check('version', ofWorst(versionVerdict)),
    check(
      'role',
      ofWorst((facts) => roleVerdict(facts, use)),
    ),
    check('memory', ofWorst(MEMORY_VERDICTS[use.keeps])),
    check('latency', async () => latencyVerdict(await runQuery((redis) => redis.roundTripMs()))),
    check('clock', () => clockSkew(clock, () => runQuery((redis) => redis.clockMs()))),
  ];
}

function worst(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts as [Verdict];
  return others.reduce((a, b) => (a.outcome === 'ok' ? b : a), first);
}

function rightsVerdict({ user, missing, unknown }: RedisUserRights): Verdict {
  if (unknown.length > 0) {
    return failure(
      `the server does not know the commands ${unknown.join(', ')}`,
      'remove rename-command for these commands, or use a server that has them',
    );
  }
  if (missing.length === 0) return ok(`${user} has the required permissions`);
  const rights = missing.join(' ');
  return failure(
    `${user} lacks ${rights}`,
    `run ACL SETUSER ${user} ${rights} on every server of this Redis`,
  );
}

function versionVerdict({ version }: RedisFacts): Verdict {
  const isTooOld = Number.parseInt(version, 10) < MIN_MAJOR_VERSION;
  return isTooOld ? failure(version, `upgrade Redis to ${MIN_MAJOR_VERSION} or later`) : ok(version);
}

function roleVerdict({ isReplica }: RedisFacts, { variable }: RedisUse): Verdict {
  if (!isReplica) return ok('accepts writes');
  return failure('a replica: it refuses writes, and counts as unavailable', `set ${variable} to the primary`);
}

const MEMORY_VERDICTS: Readonly<Record<RedisUse['keeps'], (facts: RedisFacts) => Verdict>> = {
  'limits and answers': memoryVerdict,
  limits: memoryOfLimitsVerdict,
  answers: memoryOfAnswersVerdict,
};

/** None of this data can be recomputed. */
function memoryOfLimitsVerdict({ evictionPolicy, maxMemoryBytes }: RedisFacts): Verdict {
  if (maxMemoryBytes === 0 || evictionPolicy === 'noeviction') return ok(evictionPolicy);
  return warning(
    `${evictionPolicy}: may evict the request logs of keys, so their windows start again`,
    NOEVICTION,
  );
}

/** All of this data can be recomputed. */
function memoryOfAnswersVerdict(facts: RedisFacts): Verdict {
  const { evictionPolicy, maxMemoryBytes } = facts;
  if (maxMemoryBytes === 0 || evictionPolicy === 'noeviction') return memoryVerdict(facts);
  return okMemory(facts);
}

function okMemory({ evictionPolicy, maxMemoryBytes }: RedisFacts): Verdict {
  return ok(`${evictionPolicy}, ${Math.round(maxMemoryBytes / 1024 / 1024)} MB`);
}

/** Limits and cache share the memory, and every key of both expires. Only answers should be evicted, because they can be recomputed. */
function memoryVerdict(facts: RedisFacts): Verdict {
  const { evictionPolicy, maxMemoryBytes } = facts;
  if (maxMemoryBytes === 0) {
    return warning('no maxmemory: Redis may use all memory of its machine', ALLKEYS_LRU);
  }
  if (evictionPolicy === 'noeviction') {
    return warning('noeviction: a full Redis refuses writes, and counts as unavailable', ALLKEYS_LRU);
  }
  if (evictionPolicy === 'volatile-ttl') {
    return warning(
      'volatile-ttl: evicts the request logs of keys first, so their windows start again',
      ALLKEYS_LRU,
    );
  }
  if (evictionPolicy.endsWith('-random')) {
    return warning(
      `${evictionPolicy}: evicts the request logs of busy keys too, so their windows start again`,
      ALLKEYS_LRU,
    );
  }
  return okMemory(facts);
}

function latencyVerdict(roundTripMs: number): Verdict {
  const found = `a round trip takes ${roundTripMs.toFixed(1)} ms`;
  if (roundTripMs <= TOLERATED_ROUND_TRIP_MS) return ok(found);
  const advice = 'move it closer: each request waits for two round trips, with a time limit of 100 ms each';
  return roundTripMs < COMMAND_TIMEOUT_MS ? warning(found, advice) : failure(found, advice);
}
