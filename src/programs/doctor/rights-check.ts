import type { TableName } from '../../adapters/dashboard/postgres/read/quoted.js';
import {
  type RoleRights,
  roleRights,
  type TableRights,
} from '../../adapters/postgres/inspect/server-facts.js';
import { READABLE_TABLES } from '../../adapters/postgres/read/read-table.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { check, failure, type HealthCheck, ok, type Verdict, warning } from './health-check.js';

const SHOWN = 3;
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

/** Whether this role has exactly the rights in these schemas that the script grants. */
export function rightsCheck(
  name: string,
  probe: DatabaseProbe,
  { needed, schemas, script }: { needed: TableRights; schemas: readonly string[]; script: string },
): HealthCheck {
  return check(
    name,
    `check that ${script} was run`,
    () => probe.query((database) => roleRights(database, schemas)),
    (rights) => rightsVerdict(rights, needed, script),
  );
}

function rightsVerdict(rights: RoleRights, needed: TableRights, script: string): Verdict {
  const { role, attributes, creatableSchemas, tables } = rights;
  const missing = difference(needed, tables);
  if (missing.length > 0)
    return failure(`${role} lacks ${shorten(missing)}`, `run ${script} as the owner of the tables`);
  const wider = [
    ...attributes,
    ...creatableSchemas.map((schema) => `create tables in ${schema}`),
    ...difference(tables, needed),
  ];
  if (wider.length === 0) return ok(`${role} has exactly the required permissions`);
  return warning(
    `${role} may also ${shorten(wider)}`,
    `use a role that has only the permissions of ${script}`,
  );
}

/** The rights in `these` that are not in `those`. */
function difference(these: TableRights, those: TableRights): readonly string[] {
  return Object.entries(these).flatMap(([table, rights]) => {
    const more = rights.filter((right) => !those[table]?.includes(right));
    return more.length === 0 ? [] : [`${more.join(', ')} on ${table}`];
  });
}

function shorten(things: readonly string[]): string {
  const list = things.slice(0, SHOWN).join('; ');
  return things.length > SHOWN ? `${list}; and ${things.length - SHOWN} more` : list;
}
