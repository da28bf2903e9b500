import { PostgresApiKeyDirectory } from '../../../src/adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresTagReader } from '../../../src/adapters/postgres/read/postgres-tag-reader.js';
import { MemoryApiKeyDirectory } from '../../../src/contracts/fakes/memory-api-key-directory.js';
import { MemoryBlogReader } from '../../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryCategoryReader } from '../../../src/contracts/fakes/memory-category-reader.js';
import { MemoryTagReader } from '../../../src/contracts/fakes/memory-tag-reader.js';
import type { ApiKeyDirectory } from '../../../src/domain/ports/reading/api-key-directory.js';
import type { BlogReader } from '../../../src/domain/ports/reading/blog-reader.js';
import type { CategoryReader } from '../../../src/domain/ports/reading/category-reader.js';
import type { TagReader } from '../../../src/domain/ports/reading/tag-reader.js';
import type { Stage } from './stages.js';

export interface Adapters {
  readonly apiKeyDirectory: ApiKeyDirectory;
  readonly blogReader: BlogReader;
  readonly categoryReader: CategoryReader;
  readonly tagReader: TagReader;
}

const POSTGRES: Adapters = {
  apiKeyDirectory: PostgresApiKeyDirectory.prototype,
  blogReader: PostgresBlogReader.prototype,
  categoryReader: PostgresCategoryReader.prototype,
  tagReader: PostgresTagReader.prototype,
};

/**
 * The prototypes of the adapters of each stage. A test that breaks or observes a prototype also does so in a running
 * API.
 */
export const ADAPTERS: Readonly<Record<Stage, Adapters>> = {
  memory: {
    apiKeyDirectory: MemoryApiKeyDirectory.prototype,
    blogReader: MemoryBlogReader.prototype,
    categoryReader: MemoryCategoryReader.prototype,
    tagReader: MemoryTagReader.prototype,
  },
  postgres: POSTGRES,
  'reference-dashboard': POSTGRES,
  'mariadb-dashboard': POSTGRES,
};
