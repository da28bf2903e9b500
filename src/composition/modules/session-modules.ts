import { hostname } from 'node:os';
import { ContainerModule } from 'inversify';
import { MemoryPublishedGenerations } from '../../adapters/memory/memory-published-generations.js';
import { installationOf } from '../../adapters/postgres/installation-of.js';
import { PostgresGenerations } from '../../adapters/postgres/postgres-generations.js';
import { PostgresJobQueue } from '../../adapters/postgres/postgres-job-queue.js';
import { PostgresLeadership } from '../../adapters/postgres/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../adapters/postgres/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../../adapters/postgres/postgres-sync-notes.js';
import { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import type { RedisBreaker } from '../../adapters/redis/redis-breaker.js';
import { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import type { DashboardConnection } from '../dashboard-connection.js';
import { LEADER_TIMEOUT_MS } from '../leader-timeout.js';
import { SESSION } from '../session-tokens.js';
import { token } from '../tokens.js';

/** The name of a worker's sessions in its databases. */
export const WORKER_NAME = 'blog-read-api sync';

/** The read model on one connection. Leadership that is claimed on it ends with it. */
export function postgresReadModel(url: string): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.readTables)
      .toResolvedValue(() => new WorkerConnection(url, WORKER_NAME, true))
      .onDeactivation((connection) => connection.close());
    bind(SESSION.leadership).toResolvedValue(
      ({ database }) => new PostgresLeadership(database, `${hostname()}:${process.pid}`, LEADER_TIMEOUT_MS),
      [SESSION.readTables],
    );
    bind(SESSION.readModelWriter).toResolvedValue(
      ({ database }) => new PostgresReadModelWriter(database),
      [SESSION.readTables],
    );
    bind(SESSION.jobQueue).toResolvedValue(
      ({ database }) => new PostgresJobQueue(database),
      [SESSION.readTables],
    );
    bind(SESSION.syncNotes).toResolvedValue(
      ({ database }) => new PostgresSyncNotes(database),
      [SESSION.readTables],
    );
    bind(SESSION.generationTable).toResolvedValue(
      ({ database }) => new PostgresGenerations(database),
      [SESSION.readTables],
    );
    bind(SESSION.installation).toResolvedValue(
      ({ database }) =>
        () =>
          installationOf(database),
      [SESSION.readTables],
    );
  });
}

export function dashboardContent(connect: (name: string) => DashboardConnection): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.dashboard)
      .toResolvedValue(() => connect(WORKER_NAME))
      .onDeactivation((connection) => connection.close());
    bind(SESSION.changeFeed).toResolvedValue(({ feed }) => feed, [SESSION.dashboard]);
    bind(SESSION.contentSource).toResolvedValue(({ source }) => source, [SESSION.dashboard]);
  });
}

/** Where generations are published and read. */
export function publishedGenerations(redis: RedisBreaker | null): ContainerModule {
  const published = token<MemoryPublishedGenerations | RedisGenerations>('Board');
  return new ContainerModule(({ bind }) => {
    bind(published).toResolvedValue(
      (table) =>
        redis === null ? new MemoryPublishedGenerations(table) : new RedisGenerations(redis, table),
      [SESSION.generationTable],
    );
    bind(SESSION.publishedGenerations).toResolvedValue((both) => both, [published]);
    bind(SESSION.generations).toResolvedValue((both) => both, [published]);
  });
}
