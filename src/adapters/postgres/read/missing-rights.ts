import type { ReadDatabase } from './read-database.js';
import { READABLE_TABLES } from './read-table.js';

const READ = ['organizations', 'sync_leader', ...READABLE_TABLES];
const OF_WORKER = [
  'sync_jobs',
  'unshown_rows',
  'known_databases',
  'webhook_endpoints',
  'webhook_changes',
  'webhook_deliveries',
];
/** Generations are only raised, and these rows stay. */
const NEVER_DELETED = ['organizations', 'sync_leader', 'known_databases'];
/** The identity of the read tables. */
const ONLY_READ = ['installation'];

const MISSING = `
  select name, array_agg(needed order by position) as rights, to_regclass('content_read.' || quote_ident(name)) is not null as "exists"
  from unnest(:names::text[], :rights::text[]) with ordinality as asked (name, needed, position)
  where not coalesce(has_table_privilege(to_regclass('content_read.' || quote_ident(name)), needed), false)
  group by name order by name`;

export type Program = 'api' | 'worker';

interface Missing {
  readonly name: string;
  readonly rights: readonly string[];
  readonly exists: boolean;
}

/** What this session may not do that the program does with the read tables. */
export async function missingRights(database: ReadDatabase, program: Program): Promise<readonly string[]> {
  const tables = [...READ, ...ONLY_READ];
  if (program !== 'api') tables.push(...OF_WORKER);
  const needed = tables.flatMap((name) => rightsOf(name, program).map((right) => ({ name, right })));
  const { rows }: { rows: readonly Missing[] } = await database.raw(MISSING, {
    names: needed.map(({ name }) => name),
    rights: needed.map(({ right }) => right),
  });
  return rows.map(({ name, rights, exists }) =>
    exists ? `no right to ${rights.join(', ')} on ${name}` : `${name} does not exist`,
  );
}

function rightsOf(table: string, program: Program): readonly string[] {
  if (program === 'api' || ONLY_READ.includes(table)) return ['select'];
  const rights = ['select', 'insert', 'update'];
  return NEVER_DELETED.includes(table) ? rights : [...rights, 'delete'];
}
