import type { TableName } from '../../adapters/dashboard/postgres/read/quoted.js';
import type { TableRights } from '../../adapters/postgres/inspect/server-facts.js';
import { READABLE_TABLES } from '../../adapters/postgres/read/read-table.js';

const WRITE = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** What db/grants/in-read-database.sql grants. */
export const API_RIGHTS = {
  script: 'db/grants/in-read-database.sql',
  schemas: ['content_read'],
  needed: rightsOn('content_read', ['organizations', 'installation', ...READABLE_TABLES], ['SELECT']),
};

export const WORKER_RIGHTS = {
  ...API_RIGHTS,
  needed: {
    'content_read.installation': ['SELECT'],
    ...rightsOn('content_read', [...READABLE_TABLES, 'sync_jobs', 'quarantined_rows'], WRITE),
    'content_read.organizations': ['SELECT', 'INSERT', 'UPDATE'],
    'content_read.sync_leader': ['SELECT', 'UPDATE'],
    'content_read.known_databases': ['SELECT', 'INSERT', 'UPDATE'],
  },
};

/** What db/grants/sync-worker-in-dashboard.sql grants, with the tables of a mapping. */
export function workerRightsIn(tables: readonly TableName[], isReference: boolean) {
  return {
    script: isReference
      ? 'db/grants/sync-worker-in-dashboard.sql'
      : 'the grants at the end of `npm run migrate -- --explain`',
    schemas: [...new Set(['public', 'content_sync', ...tables.map(({ schema }) => schema)])],
    needed: {
      ...Object.fromEntries(tables.map(({ schema, name }) => [`${schema}.${name}`, ['SELECT']])),
      'content_sync.change_queue': ['SELECT', 'DELETE'],
    },
  };
}

function rightsOn(schema: string, tables: readonly string[], rights: readonly string[]): TableRights {
  return Object.fromEntries(tables.map((table) => [`${schema}.${table}`, rights]));
}
