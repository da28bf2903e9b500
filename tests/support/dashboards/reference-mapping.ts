import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { readMapping } from '../../../src/adapters/dashboard/mapping/read-mapping.js';
import { capturedMapping } from '../../../src/adapters/dashboard/postgres/captured-mapping.js';
import { DashboardChangeFeed } from '../../../src/adapters/dashboard/postgres/dashboard-change-feed.js';
import { DashboardContentSource } from '../../../src/adapters/dashboard/postgres/dashboard-content-source.js';
import { MappedDashboard } from '../../../src/adapters/dashboard/postgres/mapped-dashboard.js';
import { REFERENCE_MAPPING } from '../../../src/composition/project-folders.js';

const mapping = readMapping(fileURLToPath(REFERENCE_MAPPING));

export const REFERENCE_CAPTURE = capturedMapping(mapping);

export function referenceSource(database: Knex): DashboardContentSource {
  return new DashboardContentSource(database, new MappedDashboard(mapping));
}

export function referenceFeed(database: Knex): DashboardChangeFeed {
  return new DashboardChangeFeed(database, new MappedDashboard(mapping));
}
