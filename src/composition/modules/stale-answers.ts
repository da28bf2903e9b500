import { ContainerModule } from 'inversify';
import { pauseAndRead } from '../../adapters/system/pause-and-read.js';
import { KnownGenerations } from '../../domain/admission/known-generations.js';
import { AnswerInOutageHandler } from '../../domain/answers/answer-in-outage.js';
import { StorageBreaker } from '../../domain/answers/storage-breaker.js';
import { Staleness } from '../../domain/policies/staleness.js';
import type { ApiConfiguration } from '../configuration.js';
import { TOKENS } from '../tokens.js';

/** Serves answers that may be outdated while the read tables are unavailable. */
export function staleAnswers({ staleIfErrorMs, cacheLifetimesMs }: ApiConfiguration): ContainerModule {
  if (staleIfErrorMs === 0) return withoutStaleAnswers();
  const staleness = new Staleness(staleIfErrorMs);
  const policies = { staleness, lifetimes: cacheLifetimesMs };
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.tableBreaker).toResolvedValue(
      (table, clock, log) => {
        const probe = () => table.above(Number.MAX_SAFE_INTEGER, 1);
        return new StorageBreaker('keys and generations', probe, clock, pauseAndRead, log);
      },
      [TOKENS.generationTable, TOKENS.clock, TOKENS.log],
    );
    // Content may be read from replicas, which may be available while the primary is not.
    bind(TOKENS.contentBreaker).toResolvedValue(
      (blogs, clock, log) =>
        new StorageBreaker('content', () => blogs.findById('', ''), clock, pauseAndRead, log),
      [TOKENS.blogReader, TOKENS.clock, TOKENS.log],
    );
    bind(TOKENS.keysForRequests).toResolvedValue(
      (table, breaker) => ({
        find: (hash, since) => breaker.run(async () => table.find(hash, since)),
      }),
      [TOKENS.keyTable, TOKENS.tableBreaker],
    );
    bind(TOKENS.generationsForRequests).toResolvedValue(
      (table, breaker) => ({
        current: (organizationId) => breaker.run(() => table.current(organizationId)),
      }),
      [TOKENS.generationTable, TOKENS.tableBreaker],
    );
    bind(TOKENS.knownGenerations).toResolvedValue(
      (generations, clock) => new KnownGenerations(generations, staleness, clock),
      [TOKENS.generations, TOKENS.clock],
    );
    bind(TOKENS.answers).toResolvedValue(
      (answers, last, breaker, clock) => new AnswerInOutageHandler(answers, last, breaker, policies, clock),
      [TOKENS.cachedAnswers, TOKENS.lastAnswers, TOKENS.contentBreaker, TOKENS.clock],
    );
  });
}

function withoutStaleAnswers(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.keysForRequests).toResolvedValue((table) => table, [TOKENS.keyTable]);
    bind(TOKENS.generationsForRequests).toResolvedValue((table) => table, [TOKENS.generationTable]);
    bind(TOKENS.knownGenerations).toResolvedValue(
      (generations) => ({
        current: (organizationId) => generations.current(organizationId),
        lastOf: () => null,
      }),
      [TOKENS.generations],
    );
    bind(TOKENS.answers).toResolvedValue((answers) => answers, [TOKENS.cachedAnswers]);
  });
}
