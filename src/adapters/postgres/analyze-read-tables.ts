import { openConnection } from './open-database.js';

/** Tables with rows but without statistics, as after a restored dump or `pg_upgrade`. */
const WITHOUT_STATISTICS = `
  select format('%I.%I', nspname, relname) as name
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = 'content_read' and relkind = 'r' and reltuples < 0 and pg_relation_size(pg_class.oid) > 0`;

/**
 * Gives the planner statistics where it has none. Without them, a search that finds many of a million blogs takes longer than the API
 * waits, until autovacuum analyzes the table. A table that autovacuum is processing is skipped.
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
