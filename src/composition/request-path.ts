import { setTimeout as pause } from 'node:timers/promises';
import { endpointsOf } from '../adapters/http/endpoints/endpoints-of.js';
import { EndpointRouter } from '../adapters/http/request/endpoint-router.js';
import { CompressedForms } from '../adapters/http/response/compress.js';
import { LargeBodies } from '../adapters/http/response/large-bodies.js';
import { RateHeaders } from '../adapters/http/response/rate-headers.js';
import { type ApiMiddleware, apiApplication } from '../adapters/http/server/application.js';
import { HttpServer } from '../adapters/http/server/http-server.js';
import { RequestObserver } from '../adapters/http/server/request-observer.js';
import { Responder } from '../adapters/http/server/respond.js';
import { CachedApiKeyDirectory } from '../adapters/memory/cached-api-key-directory.js';
import { withTimeLimit } from '../adapters/system/with-time-limit.js';
import { Admissions } from '../application/requests/admissions.js';
import { Answers } from '../application/requests/answers.js';
import { Authentication } from '../application/requests/authentication.js';
import { Bulkhead } from '../application/requests/bulkhead.js';
import { CircuitBreaker } from '../application/requests/circuit-breaker.js';
import { FollowedGenerations } from '../application/requests/followed-generations.js';
import { ProcessAnswers } from '../application/requests/process-answers.js';
import { ProcessWindows } from '../application/requests/process-windows.js';
import { RateLimit } from '../application/requests/rate-limit.js';
import { SharedAnswers } from '../application/requests/shared-answers.js';
import { Staleness } from '../application/requests/staleness.js';
import type { ApiKeyDirectory } from '../domain/ports/reading/api-key-directory.js';
import type { Generations } from '../domain/ports/reading/generations.js';
import type { Clock } from '../domain/ports/system/clock.js';
import type { Log } from '../domain/ports/system/log.js';
import type { CountedRequest } from '../domain/ports/system/metrics.js';
import type { ApiPorts } from './extensions/extension.js';
import { READS_AT_ONCE } from './read-tables.js';
import type { ApiConfiguration } from './settings/configuration.js';

const COMPUTATIONS = { total: READS_AT_ONCE, perOrganization: 4, maxWaitMs: 1_000 };
const KEPT_ANSWERS_BYTES = 15 * 1024 * 1024;
/** Answers compress to less than a third. */
const KEPT_FORMS_BYTES = KEPT_ANSWERS_BYTES / 3;

/** A request that is cached is not delayed for longer by an outage. */
const WAIT_FOR_LOOK_MS = 250;
const LOOK_TIMEOUT_MS = 1_000;

const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 500;

export interface RequestPorts extends Omit<ApiPorts, 'installation'> {
  readonly monotonicClock: Clock;
}

/** Builds all that a request passes through: each part comes before those that call it. */
export function requestPath(
  ports: RequestPorts,
  { window, cacheLifetimesMs, staleIfErrorMs, maxSyncAgeMs }: ApiConfiguration,
  middleware: readonly ApiMiddleware[],
  count: (request: CountedRequest) => void,
) {
  const { clock, monotonicClock, log, keyTable, blogReader } = ports;
  const staleness = new Staleness(staleIfErrorMs);
  const breakerOf = (name: string, probe: () => Promise<unknown>) =>
    staleIfErrorMs === 0 ? DIRECT : tableBreaker(name, probe, log);

  const keyBreaker = breakerOf('keys', async () => keyTable.find('', 0));
  const keyTableInTime: ApiKeyDirectory = {
    find: (hash, generation) => keyBreaker.attempt(async () => keyTable.find(hash, generation)),
  };
  const keys = new CachedApiKeyDirectory(keyTableInTime, monotonicClock);
  const generations = new FollowedGenerations(
    inTime(ports.generationTable),
    staleness,
    maxSyncAgeMs,
    monotonicClock,
    (look) => withTimeLimit(WAIT_FOR_LOOK_MS, look),
  );
  const authentication = new Authentication(ports.keyHasher, keys, generations, clock);
  const processWindows = new ProcessWindows(window, monotonicClock);
  const rateLimit = new RateLimit(processWindows, ports.requestLog, window);
  const admissions = new Admissions(authentication, rateLimit, generations, monotonicClock, pause);

  const sharedAnswers = new SharedAnswers(ports.responseCache, monotonicClock, log, ports.metrics);
  const answers = new Answers({
    admissions,
    processAnswers: new ProcessAnswers(KEPT_ANSWERS_BYTES),
    sharedAnswers,
    cacheLifetimesMs,
    staleness,
    bulkhead: new Bulkhead(COMPUTATIONS, monotonicClock),
    breaker: breakerOf('content', () => blogReader.findById('', '')),
    clock,
  });
  const largeBodies = new LargeBodies();
  const endpoints = new EndpointRouter(endpointsOf(ports), largeBodies);
  const rateHeaders = new RateHeaders(window, clock);
  const responder = new Responder({ admissions, endpoints, answers, rateHeaders, log });
  const observer = new RequestObserver(endpoints, log, count);
  const compressedForms = new CompressedForms(KEPT_FORMS_BYTES, largeBodies);
  const application = apiApplication(responder, middleware, compressedForms, observer, log);
  const server = new HttpServer(application.callback(), log, observer);
  return { server, generations, sharedAnswers };
}

function inTime(table: Generations): Generations {
  return { read: async (question) => withTimeLimit(LOOK_TIMEOUT_MS, table.read(question)) };
}

/** Without stale answers, each request tries the read tables. */
const DIRECT: Pick<CircuitBreaker, 'attempt'> = { attempt: (call) => call() };

/** `name` is shown to operators. */
function tableBreaker(name: string, read: () => Promise<unknown>, log: Log): CircuitBreaker {
  return new CircuitBreaker({
    name,
    probe: () => withTimeLimit(PROBE_TIMEOUT_MS, read()),
    pause: () => pause(PROBE_EVERY_MS, undefined, { ref: false }),
    opened: (error) => log.warn(`${name} cannot be read: answers from the cache may be outdated`, { error }),
    closed: () => log.info(`${name} can be read again`),
  });
}
