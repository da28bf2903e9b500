import { writeFile } from 'node:fs/promises';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { readTablesPage } from './read-tables-page.js';

/** `npm run tables:report` */
await writeFile('docs/read-tables.sql', await readTablesPage(await createReadTables()));
await stopTestPostgres();
