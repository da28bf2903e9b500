import type { Knex } from 'knex';

export interface ServerFacts {
  /** Such as 17.2. */
  readonly version: string;
  readonly clockMs: number;
  /** The encoding of the database: UTF8, or one that this service cannot use. */
  readonly encoding: string;
}

export async function serverFacts(database: Knex): Promise<ServerFacts> {
  const { rows }: { rows: [{ version: string; clock: number; encoding: string }] } = await database.raw(`
    select current_setting('server_version') as version,
      current_setting('server_encoding') as encoding,
      extract(epoch from clock_timestamp())::float * 1000 as clock`);
  const [{ version, clock, encoding }] = rows;
  return { version, clockMs: clock, encoding };
}
