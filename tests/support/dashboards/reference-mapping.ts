import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { readMapping } from '../../../src/adapters/dashboard/mapping/read-mapping.js';
import { Dialect } from '../../../src/adapters/dashboard/postgres/dialect.js';
import { Queue } from '../../../src/adapters/dashboard/postgres/queue.js';
import { MappedChangeFeed } from '../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { MappedContentSource } from '../../../src/adapters/dashboard/source/mapped-content-source.js';
import { REFERENCE_MAPPING } from '../../../src/composition/project-folders.js';

export const REFERENCE = readMapping(fileURLToPath(REFERENCE_MAPPING));

export function referenceSource(database: Knex): MappedContentSource {
  return new MappedContentSource(database, new Dialect(REFERENCE));
}

export function referenceFeed(database: Knex): MappedChangeFeed {
  return new MappedChangeFeed(database, new Dialect(REFERENCE), referenceQueue(database));
}

export function referenceQueue(database: Knex): Queue {
  return new Queue(database, new Dialect(REFERENCE));
}
