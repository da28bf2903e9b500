import { writeFile } from 'node:fs/promises';
import { migrateDashboard } from '../../../src/programs/migrate/migrate.js';
import { startMariaDb } from '../../qa/support/servers/test-mariadb.js';
import {
  GENERATED,
  type GeneratedFile,
  generatedCapture,
} from '../../support/dashboards/generated-capture.js';
import { createTestDatabase, stopTestPostgres } from '../../support/postgres/test-postgres.js';

async function write(file: GeneratedFile, url: string): Promise<void> {
  await migrateDashboard(url, () => {});
  await writeFile(new URL(file, GENERATED), await generatedCapture(file, url));
}

const mariaDb = await startMariaDb();
await write('mariadb.sql', await mariaDb.createDatabase('dashboard'));
await mariaDb.stop();
await write('postgresql.sql', await createTestDatabase());
await stopTestPostgres();
