import { createTestDatabase, stopTestPostgres } from './postgres/test-postgres.js';

/** One PostgreSQL for all processes of a run that has several: they find it where a server of one's own would be named. */
export async function mochaGlobalSetup(): Promise<void> {
  process.env.TEST_DATABASE_URL = await createTestDatabase();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestPostgres();
}
