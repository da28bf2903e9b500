import type { Container } from 'inversify';
import type { RedisGuard } from '../adapters/redis/redis-guard.js';
import type { DashboardConnection } from './dashboard-connection.js';
import { type ExtendedContainer, loadDefaults, requireReplacements } from './extensions/extend.js';
import { dashboardContent, postgresReadModel, publishedGenerations } from './modules/session-modules.js';
import { SESSION } from './session-tokens.js';
import type { SyncPorts } from './sync-ports.js';

/** What a session of the sync worker is made of. Null: extensions have replaced all that would be there. */
export function sessionContainer(
  extended: ExtendedContainer,
  readDatabaseUrl: string | null,
  connect: ((name: string) => DashboardConnection) | null,
  redis: RedisGuard | null,
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
  const published = container.get(SESSION.publishedGenerations);
  const generations = container.get(SESSION.generations);
  return {
    leadership: container.get(SESSION.leadership),
    feed: container.get(SESSION.changeFeed),
    source: container.get(SESSION.contentSource),
    writer: container.get(SESSION.readModelWriter),
    list: container.get(SESSION.jobQueue),
    published: {
      publish: (raised) => published.publish(raised),
      current: (organizationId) => generations.current(organizationId),
    },
  };
}
