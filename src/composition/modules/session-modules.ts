import { hostname } from 'node:os';
import { ContainerModule } from 'inversify';
import type { MappedConnection } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { installationOf } from '../../adapters/postgres/inspect/installation-of.js';
import { PostgresGenerations } from '../../adapters/postgres/read/postgres-generations.js';
import { PostgresJobQueue } from '../../adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../../adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../../adapters/postgres/write/postgres-sync-notes.js';
import type { RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import { RedisGenerations } from '../../adapters/redis/generations/redis-generations.js';
import { LEADER_TIMEOUT_MS } from '../leader-timeout.js';
import { SESSION } from '../session-tokens.js';
import { needed } from '../settings/read-settings.js';
import { NOTHING_PUBLISHED } from './memory-state.js';

/** The name of a worker's sessions in its databases. */
export const WORKER_NAME = 'blog-read-api sync';

/** The read model on one connection. Leadership that is claimed on it ends with it. */
export function postgresReadModel(readDatabaseUrl: string | null): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.readTables)
      .toResolvedValue(
        () => new WorkerConnection(needed('READ_DATABASE_URL', readDatabaseUrl), WORKER_NAME, true),
      )
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

export function dashboardContent(connect: ((name: string) => MappedConnection) | null): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.dashboard)
      .toResolvedValue(() => needed('WRITE_DATABASE_URL', connect)(WORKER_NAME))
      .onDeactivation((connection) => connection.close());
    bind(SESSION.changeFeed).toResolvedValue(({ feed }) => feed, [SESSION.dashboard]);
    bind(SESSION.contentSource).toResolvedValue(({ source }) => source, [SESSION.dashboard]);
  });
}

/** Null: API processes learn of generations from the read tables alone. */
export function publishedGenerations(redis: RedisBreaker | null): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.publishedGenerations).toResolvedValue(() =>
      redis === null ? NOTHING_PUBLISHED : new RedisGenerations(redis),
    );
  });
}
