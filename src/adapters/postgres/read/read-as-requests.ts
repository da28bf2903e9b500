import type { Knex } from 'knex';
import { PostgresApiKeyDirectory } from './postgres-api-key-directory.js';
import { PostgresBlogReader } from './postgres-blog-reader.js';
import { PostgresCategoryReader } from './postgres-category-reader.js';
import { PostgresGenerations } from './postgres-generations.js';
import { PostgresTagReader } from './postgres-tag-reader.js';

const ALL = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };
const FIRST = { offset: 0, limit: 1 };

/** Fails as the requests of a kind do without a column or a right, or behind a lock. */
export async function readAsRequests(database: Knex): Promise<void> {
  const blogs = new PostgresBlogReader(database);
  await new PostgresGenerations(database).read({ above: 0, limit: 1, organizationIds: [] });
  await new PostgresApiKeyDirectory(database).find('');
  await blogs.list('', ALL, FIRST);
  await blogs.list('', { ...ALL, foldedTitlePart: 'any' }, FIRST);
  await blogs.findById('', '');
  await new PostgresCategoryReader(database).list('', null);
  await new PostgresTagReader(database).list('', null);
}
