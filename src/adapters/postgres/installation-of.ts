import type { Knex } from 'knex';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { INSTALLATION } from './server-identity.js';

/** The identity of these read tables. It differs for each installation, and for a copy of its database elsewhere. */
export async function installationOf(database: Knex): Promise<string> {
  const { rows }: { rows: { identity: string | null }[] } = await database
    .raw(`select (${INSTALLATION}) as identity`)
    .timeout(QUERY_TIMEOUT_MS);
  const identity = rows[0]?.identity;
  if (!identity)
    throw new Error(
      'content_read.installation has no row: `insert into content_read.installation default values` creates one',
    );
  return identity;
}
