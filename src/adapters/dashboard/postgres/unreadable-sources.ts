import type { Knex } from 'knex';
import { type DashboardMapping, presentSelects } from '../mapping/dashboard-mapping.js';
import { inlined } from './described-select.js';
import { runStatement } from './run-statement.js';

/** Which selects of a mapping PostgreSQL does not take any more, and why. */
export async function unreadableSources(
  database: Knex,
  mapping: DashboardMapping,
): Promise<readonly string[]> {
  const present = presentSelects(mapping);
  const all = present.map(({ name, select }) => `${inlined(select)} as ${name}`).join(', ');
  if ((await refusalOf(database, `select from ${all} limit 0`)) === null) return [];
  const reasons: string[] = [];
  for (const { name, select } of present) {
    const reason = await refusalOf(database, `select from ${inlined(select)} as mapped limit 0`);
    if (reason !== null) reasons.push(`${name}: ${reason}`);
  }
  return reasons;
}

async function refusalOf(database: Knex, statement: string): Promise<string | null> {
  try {
    await runStatement(database, statement);
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message;
    throw error;
  }
}
