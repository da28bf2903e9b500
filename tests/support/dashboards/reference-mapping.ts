import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { readMapping } from '../../../src/adapters/dashboard/mapping/read-mapping.js';
import { POSTGRES_ENGINE } from '../../../src/adapters/dashboard/postgres/engine.js';
import { MappedChangeFeed } from '../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { MappedContentSource } from '../../../src/adapters/dashboard/source/mapped-content-source.js';
import { SourceReader } from '../../../src/adapters/dashboard/source/source-reader.js';
import { REFERENCE_MAPPING } from '../../../src/composition/project-folders.js';

export const REFERENCE = readMapping(fileURLToPath(REFERENCE_MAPPING));

export function referenceSource(database: Knex): MappedContentSource {
  return new MappedContentSource(database, new SourceReader(REFERENCE, POSTGRES_ENGINE));
}

export function referenceFeed(database: Knex): MappedChangeFeed {
  return new MappedChangeFeed(database, new SourceReader(REFERENCE, POSTGRES_ENGINE), POSTGRES_ENGINE);
}
