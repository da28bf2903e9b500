import { ContainerModule } from 'inversify';
import type { ApiMiddleware } from '../../adapters/http/server/api-application.js';
import { ReplicaGenerations } from '../../adapters/postgres/replicas/replica-generations.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import { PolledServer } from '../../domain/admission/polled-generations.js';
import type { Replaced } from '../extensions/extend.js';
import { type RequestObservers, requestPath } from '../request-path.js';
import type { ApiConfiguration } from '../settings/configuration.js';
import { TOKENS } from '../tokens.js';

/** Collects what the path of a request needs. Replicas only serve the tables of the primary. */
export function serving(
  configuration: ApiConfiguration,
  middleware: readonly ApiMiddleware[],
  replaced: Replaced,
  traces: Tracing | null,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.polledServers).toDynamicValue(({ get }) => {
      const clock = get(TOKENS.monotonicClock);
      const replicas = replaced.has(TOKENS.generationTable) ? [] : get(TOKENS.replicas);
      const ofReplicas = replicas.map((replica) => new PolledServer(new ReplicaGenerations(replica), clock));
      return [new PolledServer(get(TOKENS.generationTable), clock), ...ofReplicas];
    });
    bind(TOKENS.httpServer).toDynamicValue(({ get }) => {
      const ports = {
        clock: get(TOKENS.clock),
        log: get(TOKENS.log),
        keyHasher: get(TOKENS.keyHasher),
        keyTable: get(TOKENS.keyTable),
        keyReplicas: replaced.has(TOKENS.keyTable) ? [] : get(TOKENS.replicas),
        servers: get(TOKENS.polledServers),
        publishedGenerations: get(TOKENS.publishedGenerations),
        requestLog: get(TOKENS.requestLog),
        responseCache: get(TOKENS.responseCache),
        lastAnswers: get(TOKENS.lastAnswers),
        blogReader: get(TOKENS.blogReader),
        categoryReader: get(TOKENS.categoryReader),
        tagReader: get(TOKENS.tagReader),
      };
      const prometheus = get(TOKENS.prometheus);
      const observers: RequestObservers = {
        middleware,
        observe: (request) => {
          prometheus.countRequest(request);
          traces?.describeRequest(request);
        },
        traced: (name, part) => traces?.around(name, part) ?? part,
        tracedRequests: (listener) => traces?.aroundRequests(listener) ?? listener,
      };
      return requestPath(ports, configuration, observers);
    });
  });
}
