import { ContainerModule } from 'inversify';
import { installationOf } from '../adapters/postgres/read/installation-of.js';
import { PostgresApiKeyDirectory } from '../adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../adapters/postgres/read/postgres-category-reader.js';
import { PostgresGenerations } from '../adapters/postgres/read/postgres-generations.js';
import { PostgresTagReader } from '../adapters/postgres/read/postgres-tag-reader.js';
import { RaiseListener } from '../adapters/postgres/read/raise-listener.js';
import { MAX_CONNECTIONS, openReadDatabase } from '../adapters/postgres/read/read-database.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { needed } from './settings/read-settings.js';
import { SETTINGS } from './settings/settings.js';
import { API_PORTS, token } from './tokens.js';

/** Two connections are left for keys and generations. */
export const READS_AT_ONCE = MAX_CONNECTIONS - 2;

export type ReadTables = ReturnType<typeof openReadTables>;
export const READ_TABLES = token<ReadTables>('ReadTables');

export function readTables({ readDatabaseUrl }: Pick<ApiConfiguration, 'readDatabaseUrl'>): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(READ_TABLES)
      .toResolvedValue(() => openReadTables(needed(SETTINGS.readDatabaseUrl, readDatabaseUrl)))
      .onDeactivation(({ close }) => close());
    const blogs = ({ database }: ReadTables) => new PostgresBlogReader(database);
    bind(API_PORTS.blogReader).toResolvedValue(blogs, [READ_TABLES]);
    const categories = ({ database }: ReadTables) => new PostgresCategoryReader(database);
    bind(API_PORTS.categoryReader).toResolvedValue(categories, [READ_TABLES]);
    const tags = ({ database }: ReadTables) => new PostgresTagReader(database);
    bind(API_PORTS.tagReader).toResolvedValue(tags, [READ_TABLES]);
    const keys = ({ database }: ReadTables) => new PostgresApiKeyDirectory(database);
    bind(API_PORTS.keyTable).toResolvedValue(keys, [READ_TABLES]);
    const generations = ({ database }: ReadTables) => new PostgresGenerations(database);
    bind(API_PORTS.generationTable).toResolvedValue(generations, [READ_TABLES]);
    const installation =
      ({ database }: ReadTables) =>
      () =>
        installationOf(database);
    bind(API_PORTS.installation).toResolvedValue(installation, [READ_TABLES]);
  });
}

/** Without connecting to them. */
function openReadTables(url: string) {
  const database = openReadDatabase(url);
  const listener = new RaiseListener(url);
  const close = async () => {
    listener.close();
    await database.destroy();
  };
  return { database, listener, close };
}
