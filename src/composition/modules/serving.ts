import { ContainerModule } from 'inversify';
import { ReplicaGenerations } from '../../adapters/postgres/replicas/replica-generations.js';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import { PolledServer } from '../../domain/admission/polled-server.js';
import type { ApiConfiguration } from '../configuration.js';
import type { AppliedExtension } from '../extensions/extend.js';
import type { ApiNeeds } from '../extensions/ports-of-programs.js';
import { type RequestObservers, requestPath } from '../request-path.js';
import { TOKENS } from '../tokens.js';

/** Collects what the path of a request needs. Middleware runs in the order of the extensions that bind it. */
export function serving(
  configuration: ApiConfiguration,
  needs: Pick<ApiNeeds, 'generations' | 'keys'>,
  extensions: readonly AppliedExtension[],
  traces: Tracing | null,
): ContainerModule {
  return new ContainerModule(({ bind, isBound }) => {
    const middleware = extensions
      .map(({ additions }) => additions.middleware)
      .filter((token) => isBound(token));
    bind(TOKENS.polledServers).toDynamicValue(({ get }) => {
      const clock = get(TOKENS.monotonicClock);
      const replicas = needs.generations ? (get(TOKENS.replicas, { optional: true }) ?? []) : [];
      const ofReplicas = replicas.map((replica) => new PolledServer(new ReplicaGenerations(replica), clock));
      return [new PolledServer(get(TOKENS.generationTable), clock), ...ofReplicas];
    });
    bind(TOKENS.httpServer).toDynamicValue(({ get, getAll }) => {
      const ports = {
        clock: get(TOKENS.clock),
        log: get(TOKENS.log),
        keyHasher: get(TOKENS.keyHasher),
        keyTable: get(TOKENS.keyTable),
        keyReplicas: needs.keys ? (get(TOKENS.replicas, { optional: true }) ?? []) : [],
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
        middleware: middleware.flatMap((token) => getAll(token)),
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
