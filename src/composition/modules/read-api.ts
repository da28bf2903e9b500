import { setTimeout as pause } from 'node:timers/promises';
import { ContainerModule } from 'inversify';
import { getBlogById } from '../../adapters/http/endpoints/get-blog-by-id.js';
import { getBlogBySlug } from '../../adapters/http/endpoints/get-blog-by-slug.js';
import { listBlogs } from '../../adapters/http/endpoints/list-blogs.js';
import { listCategories } from '../../adapters/http/endpoints/list-categories.js';
import { listTags } from '../../adapters/http/endpoints/list-tags.js';
import { apiApplication } from '../../adapters/http/server/api-application.js';
import { HttpServer } from '../../adapters/http/server/http-server.js';
import { type ObserveRequest, observeUnread } from '../../adapters/http/server/observe-request.js';
import { CachedApiKeyDirectory } from '../../adapters/memory/cached-api-key-directory.js';
import { ReplicatedApiKeyDirectory } from '../../adapters/postgres/replicated-api-key-directory.js';
import { AdmitRequestHandler } from '../../domain/admission/admit-request.js';
import { AuthenticateKeyHandler } from '../../domain/admission/authenticate-key.js';
import { ReachGeneration } from '../../domain/admission/reach-generation.js';
import { AnswerFromCacheHandler } from '../../domain/answers/answer-from-cache.js';
import { Bulkhead } from '../../domain/answers/bulkhead.js';
import { SlidingWindow } from '../../domain/policies/sliding-window.js';
import { GetBlogByIdHandler } from '../../domain/queries/get-blog-by-id.js';
import { GetBlogBySlugHandler } from '../../domain/queries/get-blog-by-slug.js';
import { ListCategoriesHandler } from '../../domain/queries/list-categories.js';
import { ListPublishedBlogsHandler } from '../../domain/queries/list-published-blogs.js';
import { ListTagsHandler } from '../../domain/queries/list-tags.js';
import type { ApiConfiguration } from '../configuration.js';
import { TOKENS } from '../tokens.js';

/** Of ten connections to the read tables, two are reserved for keys and generations. */
const COMPUTATIONS = { total: 8, each: 4, maxWaitMs: 1_000 };

/** The parts that do not depend on the adapters. */
export function readApi({ window, cacheLifetimesMs }: ApiConfiguration): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.window).toConstantValue(window);
    bind(TOKENS.apiKeyDirectory).toDynamicValue(({ get }) => {
      const keys = get(TOKENS.keysForRequests);
      const replicas = get(TOKENS.replicasOfKeys, { optional: true }) ?? [];
      const directory = replicas.length === 0 ? keys : new ReplicatedApiKeyDirectory(keys, replicas);
      return new CachedApiKeyDirectory(directory, get(TOKENS.clock));
    });
    bind(TOKENS.authentication).toResolvedValue(
      (hasher, directory, generations, clock) =>
        new AuthenticateKeyHandler(hasher, directory, generations, clock),
      [TOKENS.keyHasher, TOKENS.apiKeyDirectory, TOKENS.generations, TOKENS.clock],
    );
    bind(TOKENS.admission).toResolvedValue(
      (authentication, requests, generations, clock) =>
        new AdmitRequestHandler(
          authentication,
          requests,
          generations,
          new SlidingWindow(window),
          new ReachGeneration(generations, clock, pause),
          generations,
        ),
      [TOKENS.authentication, TOKENS.requestLog, TOKENS.knownGenerations, TOKENS.clock],
    );
    bind(TOKENS.cachedAnswers).toResolvedValue(
      (cache, clock) =>
        new AnswerFromCacheHandler(cache, cacheLifetimesMs, new Bulkhead(COMPUTATIONS, clock)),
      [TOKENS.responseCache, TOKENS.clock],
    );
    bind(TOKENS.endpoints).toResolvedValue(
      (blogs, categories, tags) => [
        listBlogs(new ListPublishedBlogsHandler(blogs)),
        getBlogById(new GetBlogByIdHandler(blogs)),
        getBlogBySlug(new GetBlogBySlugHandler(blogs)),
        listCategories(new ListCategoriesHandler(categories)),
        listTags(new ListTagsHandler(tags)),
      ],
      [TOKENS.blogReader, TOKENS.categoryReader, TOKENS.tagReader],
    );
    bind(TOKENS.observe).toResolvedValue(
      (prometheus): ObserveRequest =>
        (request) =>
          prometheus.countRequest(request),
      [TOKENS.prometheus],
    );
    bind(TOKENS.listener).toResolvedValue(
      (endpoints, middleware, admission, answers, clock, log, observe) =>
        apiApplication({ endpoints, middleware, admission, answers, window, clock, log, observe }).callback(),
      [
        TOKENS.endpoints,
        TOKENS.middleware,
        TOKENS.admission,
        TOKENS.answers,
        TOKENS.clock,
        TOKENS.log,
        TOKENS.observe,
      ],
    );
    bind(TOKENS.httpServer).toResolvedValue(
      (listener, log, observe) =>
        new HttpServer(listener, log, (status) => observeUnread(status, log, observe)),
      [TOKENS.listener, TOKENS.log, TOKENS.observe],
    );
  });
}
