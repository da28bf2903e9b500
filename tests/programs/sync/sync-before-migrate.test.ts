import { expect } from 'chai';
import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { DASHBOARD_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { catchUp } from '../../../src/programs/sync/sync-once.js';
import { createTestMariaDbDatabase } from '../../qa/support/servers/test-mariadb.js';
import { createMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import {
  createCapturedDashboard,
  createDashboard,
  createReadTables,
} from '../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { programsOn } from '../../support/programs/running-programs.js';
import { statusOf, syncSettings } from '../../support/sync/sync-settings.js';

const NO_CAPTURE =
  "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.";

describe('npm run sync on databases that lack a migration', () => {
  let databases: { writeDatabaseUrl: string; readDatabaseUrl: string };
  const start = programsOn(() => databases);

  const lacking = {
    "the dashboard's tables": {
      dashboard: () => createTestDatabase(),
      readTables: createReadTables,
      says: "The dashboard's database (WRITE_DATABASE_URL) has no table organizations, websites, ",
    },
    'the read tables': {
      dashboard: createCapturedDashboard,
      readTables: () => createTestDatabase(),
      says: 'READ_DATABASE_URL: 42P01: relation "content_read.organizations" does not exist: run `npm run migrate -- --with-grants`; ',
    },
    'the change capture': {
      dashboard: createDashboard,
      readTables: createReadTables,
      says: NO_CAPTURE,
    },
    'the change capture in a MariaDB': {
      dashboard: createMysqlDashboard,
      readTables: createReadTables,
      says: NO_CAPTURE,
    },
    "the dashboard's tables in a MariaDB": {
      dashboard: (context: Mocha.Context) => createTestMariaDbDatabase(context),
      readTables: createReadTables,
      says: "The dashboard's database (WRITE_DATABASE_URL) has no table organizations, websites, ",
    },
  };

  for (const [what, { dashboard, readTables, says }] of Object.entries(lacking)) {
    it(`explains in one line what to do without ${what}`, async function () {
      const context = this as unknown as Mocha.Context;
      databases = { writeDatabaseUrl: await dashboard(context), readDatabaseUrl: await readTables() };
      const settings = syncSettings(databases);
      const failure = await catchUp(settings).catch((error: Error) => error.message);
      expect(failure).to.contain(says).and.not.to.contain('\n');
      const byStatus = await statusOf(databases).then(
        ({ json }) => json.failed.tables,
        (error: Error) => error.message,
      );
      expect(byStatus).to.equal(failure);
    });
  }

  it('exits with 1 as --status if nothing can be read, and explains what to do', async () => {
    databases = { writeDatabaseUrl: await createTestDatabase(), readDatabaseUrl: await createTestDatabase() };
    const command = start('sync', '--status');
    expect(await command.exitCode()).to.equal(1);
    expect(command.output).to.contain(lacking["the dashboard's tables"].says);
  });

  it('exits with 1 as a command, and prints only the explanation', async () => {
    databases = { writeDatabaseUrl: await createDashboard(), readDatabaseUrl: await createReadTables() };
    const command = start('sync', '--once');
    expect(await command.exitCode()).to.equal(1);
    expect(command.output).to.equal(`${lacking['the change capture'].says}\n`);
  });

  it('waits as a worker, logs the reason, and starts when they are migrated', async () => {
    databases = { writeDatabaseUrl: await createTestDatabase(), readDatabaseUrl: await createTestDatabase() };
    const worker = start('sync');
    await worker.printed(/has no table organizations/);
    await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
    await migrate(databases, () => {});
    await worker.printed(/this worker leads/);
    expect(await worker.end('SIGTERM')).to.equal(0);
    expect(worker.output.match(/failed and is retried/g)).to.have.length(1);
  });
});
