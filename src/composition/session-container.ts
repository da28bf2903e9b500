import type { Container } from 'inversify';
import type { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import type { ChangeFeed } from '../domain/ports/change-feed.js';
import type { ContentSource } from '../domain/ports/content-source.js';
import type { JobQueue } from '../domain/ports/job-queue.js';
import type { Leadership } from '../domain/ports/leadership.js';
import type { PublishedGenerations } from '../domain/ports/published-generations.js';
import type { ReadModelWriter } from '../domain/ports/read-model-writer.js';
import type { DashboardConnection } from './dashboard-connection.js';
import { type ExtendedContainer, loadDefaults, requireReplacements } from './extensions/extend.js';
import { dashboardContent, postgresReadModel, publishedGenerations } from './modules/session-modules.js';
import { SESSION } from './session-tokens.js';

/** What the worker depends on. Its steps do not depend on the adapters. */
export interface SyncPorts {
  readonly leadership: Leadership;
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly writer: ReadModelWriter;
  readonly jobs: JobQueue;
  readonly published: PublishedGenerations;
}

/** The parts of a session of the sync worker. Null: extensions have replaced everything that would be there. */
export function sessionContainer(
  extended: ExtendedContainer,
  readDatabaseUrl: string | null,
  connect: ((name: string) => DashboardConnection) | null,
  redis: RedisBreaker | null,
): Container {
  loadDefaults(extended, [
    ...(readDatabaseUrl === null ? [] : [postgresReadModel(readDatabaseUrl)]),
    ...(connect === null ? [] : [dashboardContent(connect)]),
    publishedGenerations(redis),
  ]);
  requireReplacements(extended);
  return extended.container;
}

export function syncPorts(container: Container): SyncPorts {
  return {
    leadership: container.get(SESSION.leadership),
    feed: container.get(SESSION.changeFeed),
    source: container.get(SESSION.contentSource),
    writer: container.get(SESSION.readModelWriter),
    jobs: container.get(SESSION.jobQueue),
    published: container.get(SESSION.publishedGenerations),
  };
}
