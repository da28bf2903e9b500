import type { Knex } from 'knex';

export interface ServerFacts {
  /** Such as 17.2. */
  readonly version: string;
  readonly majorVersion: number;
  readonly clockMs: number;
}

export async function serverFacts(database: Knex): Promise<ServerFacts> {
  const { rows }: { rows: [{ version: string; number: string; clock: number }] } = await database.raw(`
    select current_setting('server_version') as version, current_setting('server_version_num') as number,
      extract(epoch from clock_timestamp())::float * 1000 as clock`);
  const [{ version, number, clock }] = rows;
  return { version, majorVersion: Math.floor(Number(number) / 10_000), clockMs: clock };
}
