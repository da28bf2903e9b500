import type { Knex } from 'knex';
import { INSTALLATION } from '../../sql/postgres/server-identity.js';

/** As long as a read. */
const TIMEOUT_MS = 1_000;

/** Differs for each installation, and for a copy of its database. */
export async function installationOf(database: Knex): Promise<string> {
  const { rows }: { rows: { identity: string | null }[] } = await database
    .raw(`select (${INSTALLATION}) as identity`)
    .timeout(TIMEOUT_MS);
  const identity = rows[0]?.identity;
  if (!identity)
    throw new Error(
      'content_read.installation has no row: `insert into content_read.installation default values` creates one',
    );
  return identity;
}
