import { fileURLToPath } from 'node:url';
import { openDashboardDatabase } from '../../../../src/adapters/postgres/connection/open-database.js';
import { migrate } from '../../../../src/programs/migrate/migrate.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { SyncedDatabases } from '../../../support/sync/synced-databases.js';
import { inPublishing, PUBLISHING, PUBLISHING_AS_REFERENCE, PUBLISHING_TABLES } from './publishing.js';

const MAPPING = fileURLToPath(new URL('./publishing-mapping.yaml', import.meta.url));

/** A PostgreSQL dashboard whose tables differ completely from the reference schema and are read through a mapping. */
export class PublishingDatabases extends SyncedDatabases {
  static override async create(): Promise<PublishingDatabases> {
    const [writeDatabaseUrl, readDatabaseUrl] = [await createTestDatabase(), await createReadTables()];
    const dashboard = openDashboardDatabase(writeDatabaseUrl);
    await dashboard.raw(`${PUBLISHING} ${PUBLISHING_AS_REFERENCE}`);
    const databases = new PublishingDatabases(writeDatabaseUrl, readDatabaseUrl, dashboard, MAPPING);
    await migrate(databases, () => {});
    return databases;
  }

  override inItsTables(statement: string): string {
    return inPublishing(statement);
  }

  protected override async emptyDashboard(): Promise<void> {
    await this.dashboard.raw(PUBLISHING_TABLES.map((table) => `delete from ${table};`).join(' '));
    await this.emptyQueue();
  }
}
