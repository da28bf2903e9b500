import { ContainerModule } from 'inversify';
import { databaseName } from '../../adapters/postgres/connection/postgres-urls.js';
import { openReadDatabase, openReplica } from '../../adapters/postgres/connection/read-database.js';
import { installationOnAny } from '../../adapters/postgres/inspect/installation-of.js';
import { PrimaryContent } from '../../adapters/postgres/read/content-database.js';
import { PostgresApiKeyDirectory } from '../../adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../../adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../adapters/postgres/read/postgres-category-reader.js';
import { PostgresGenerations } from '../../adapters/postgres/read/postgres-generations.js';
import { PostgresTagReader } from '../../adapters/postgres/read/postgres-tag-reader.js';
import { RaiseListener } from '../../adapters/postgres/read/raise-listener.js';
import { PrimaryIdentity, Replica } from '../../adapters/postgres/replicas/replica.js';
import { ReplicatedContent } from '../../adapters/postgres/replicas/replicated-content.js';
import type { ApiConfiguration } from '../settings/configuration.js';
import { needed } from '../settings/read-settings.js';
import { TOKENS } from '../tokens.js';

/** Content of the replicas, or of the primary if none responds. */
export function postgresStorage({
  readDatabaseUrl,
  readReplicaUrls,
}: Pick<ApiConfiguration, 'readDatabaseUrl' | 'readReplicaUrls'>): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.readDatabase)
      .toDynamicValue(() => openReadDatabase(needed('READ_DATABASE_URL', readDatabaseUrl)))
      .onDeactivation((database) => database.destroy());
    bind(TOKENS.primaryIdentity).toDynamicValue(({ get }) => new PrimaryIdentity(get(TOKENS.readDatabase)));
    bind(TOKENS.replicas)
      .toDynamicValue(({ get }) => {
        const [primary, log] = [get(TOKENS.primaryIdentity), get(TOKENS.log)];
        const identity = () => primary.lastIdentity;
        return readReplicaUrls.map((url) => new Replica(databaseName(url), openReplica(url, identity), log));
      })
      .onDeactivation(async (replicas) => {
        await Promise.all(replicas.map((replica) => replica.close()));
      });
    bind(TOKENS.contentDatabase).toDynamicValue(({ get }) => {
      const primary = new PrimaryContent(get(TOKENS.readDatabase));
      const replicas = get(TOKENS.replicas);
      return replicas.length === 0 ? primary : new ReplicatedContent(primary, replicas, get(TOKENS.metrics));
    });
    const content = TOKENS.contentDatabase;
    bind(TOKENS.blogReader).toDynamicValue(({ get }) => new PostgresBlogReader(get(content)));
    bind(TOKENS.categoryReader).toDynamicValue(({ get }) => new PostgresCategoryReader(get(content)));
    bind(TOKENS.tagReader).toDynamicValue(({ get }) => new PostgresTagReader(get(content)));
    const primary = TOKENS.readDatabase;
    bind(TOKENS.keyTable).toDynamicValue(({ get }) => new PostgresApiKeyDirectory(get(primary)));
    bind(TOKENS.generationTable).toDynamicValue(({ get }) => new PostgresGenerations(get(primary)));
    bind(TOKENS.raiseListener)
      .toDynamicValue(() => new RaiseListener(needed('READ_DATABASE_URL', readDatabaseUrl)))
      .onDeactivation((listener) => listener.close());
    bind(TOKENS.installation).toDynamicValue(({ get }) => {
      const [database, replicas] = [get(primary), get(TOKENS.replicas)];
      return () => installationOnAny(database, replicas);
    });
  });
}
