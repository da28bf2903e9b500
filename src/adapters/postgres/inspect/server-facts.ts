import type { Knex } from 'knex';

/** Such as 17.2. */
export async function serverVersion(database: Knex): Promise<string> {
  const { rows }: { rows: [{ server_version: string }] } = await database.raw('show server_version');
  return rows[0].server_version;
}
