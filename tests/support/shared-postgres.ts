import { createTestDatabase, describeTestPostgres, stopTestPostgres } from './test-postgres.js';

/** One PostgreSQL for all processes of a run that has several: they find it where a server of one's own would be named. */
export async function mochaGlobalSetup(): Promise<void> {
  const url = await createTestDatabase();
  process.stdout.write(`PostgreSQL: ${await describeTestPostgres()}\n`);
  process.env.TEST_DATABASE_URL = url;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestPostgres();
}
