import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { inlined } from './described-select.js';
import { rolledBack } from './rolled-back.js';
import { runStatement } from './run-statement.js';

/** Hashes that no key can have: all requests with such a key are refused, and nothing else reports why. */
export async function checkHashes(database: Knex, { selects }: DashboardMapping): Promise<readonly string[]> {
  const { api_keys: select } = selects;
  if (select === null) return [];
  const { rows } = await rolledBack(database, (attempt) =>
    runStatement<{ wrong: number }>(
      attempt,
      `select count(*)::int as wrong from ${inlined(select)} as mapped where key_hash !~ '^[0-9a-f]{64}$'`,
    ),
  );
  const wrong = rows[0]?.wrong ?? 0;
  if (wrong === 0) return [];
  return [
    `api_keys: key_hash is not 64 lower-case hex digits in ${wrong} ${wrong === 1 ? 'row' : 'rows'}, so requests with these keys get a 401; to convert bytes, write \`encode(…, 'hex') as key_hash\``,
  ];
}
