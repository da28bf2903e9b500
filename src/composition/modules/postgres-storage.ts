import { ContainerModule } from 'inversify';
import { installationOf } from '../../adapters/postgres/installation-of.js';
import { PostgresApiKeyDirectory } from '../../adapters/postgres/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../../adapters/postgres/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../adapters/postgres/postgres-category-reader.js';
import { PostgresGenerations } from '../../adapters/postgres/postgres-generations.js';
import { PostgresTagReader } from '../../adapters/postgres/postgres-tag-reader.js';
import { openReadDatabase } from '../../adapters/postgres/read-database.js';
import { TOKENS } from '../tokens.js';

export function postgresStorage(url: string): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.readDatabase)
      .toResolvedValue(() => openReadDatabase(url))
      .onDeactivation((database) => database.destroy());
    bind(TOKENS.blogReader).toResolvedValue(
      (content) => new PostgresBlogReader(content),
      [TOKENS.contentDatabase],
    );
    bind(TOKENS.categoryReader).toResolvedValue(
      (content) => new PostgresCategoryReader(content),
      [TOKENS.contentDatabase],
    );
    bind(TOKENS.tagReader).toResolvedValue(
      (content) => new PostgresTagReader(content),
      [TOKENS.contentDatabase],
    );
    bind(TOKENS.keyTable).toResolvedValue((knex) => new PostgresApiKeyDirectory(knex), [TOKENS.readDatabase]);
    bind(TOKENS.installation).toResolvedValue((knex) => () => installationOf(knex), [TOKENS.readDatabase]);
    bind(TOKENS.generationTable).toResolvedValue(
      (knex) => new PostgresGenerations(knex),
      [TOKENS.readDatabase],
    );
  });
}
