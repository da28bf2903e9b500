import { unmetNeed } from './containers.js';
import { createTestDatabase, stopTestPostgres } from './postgres/test-postgres.js';

/**
 * Starts one PostgreSQL for all processes of a parallel run. They find it in the variable that can also name an
 * existing server.
 */
export async function mochaGlobalSetup(): Promise<void> {
  if ((await unmetNeed()) === null) process.env.TEST_DATABASE_URL = await createTestDatabase();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestPostgres();
}
