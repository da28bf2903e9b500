import type { Knex } from 'knex';

export interface ServerFacts {
  /** Such as 17.2. */
  readonly version: string;
  readonly clockMs: number;
}

export async function serverFacts(database: Knex): Promise<ServerFacts> {
  const { rows }: { rows: [{ version: string; clock: number }] } = await database.raw(`
    select current_setting('server_version') as version,
      extract(epoch from clock_timestamp())::float * 1000 as clock`);
  const [{ version, clock }] = rows;
  return { version, clockMs: clock };
}
