import { openConnection } from './open-database.js';

/** Rows, and no statistics: as after a dump was restored, or `pg_upgrade` was run. */
const WITHOUT_STATISTICS = `
  select format('%I.%I', nspname, relname) as name
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = 'content_read' and relkind = 'r' and reltuples < 0 and pg_relation_size(pg_class.oid) > 0`;

/**
 * Gives the planner statistics where it has none: a search that finds many of a million blogs would take longer than the API waits, until
 * autovacuum comes by. A table that autovacuum is working on is left to it.
 */
export async function analyzeReadTables(url: string): Promise<void> {
  const client = await openConnection(url, 'blog-read-api migrate');
  try {
    const { rows } = await client.query<{ name: string }>(WITHOUT_STATISTICS);
    for (const { name } of rows) await client.query(`analyze (skip_locked) ${name}`);
  } finally {
    await client.end();
  }
}
