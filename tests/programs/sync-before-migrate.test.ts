import { expect } from 'chai';
import { migrateDatabase } from '../../src/adapters/postgres/migrate-database.js';
import { migrate } from '../../src/composition/jobs/migrate.js';
import { DASHBOARD_MIGRATIONS, READ_MIGRATIONS } from '../../src/composition/project-folders.js';
import { programsOn } from '../support/running-programs.js';
import { createTestDatabase } from '../support/test-postgres.js';

describe('npm run sync on databases that lack a migration', () => {
  let databases: { writeDatabaseUrl: string; readDatabaseUrl: string };
  const start = programsOn(() => databases);

  beforeEach(async () => {
    databases = {
      writeDatabaseUrl: await createTestDatabase(),
      readDatabaseUrl: await createTestDatabase(),
    };
  });

  const lacking = {
    "the dashboard's tables": {
      before: async () => void (await migrateDatabase(databases.readDatabaseUrl, READ_MIGRATIONS)),
      says: "The dashboard's database (WRITE_DATABASE_URL) has no table organizations, websites, ",
    },
    'the read tables': {
      before: async () => void (await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS)),
      says: 'There are no read tables in the database of READ_DATABASE_URL: run `npm run migrate` first.',
    },
    'the change capture': {
      before: async () => {
        await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
        await migrateDatabase(databases.readDatabaseUrl, READ_MIGRATIONS);
      },
      says: "Nothing notes the changes in the dashboard's database (WRITE_DATABASE_URL): run `npm run migrate` with both databases first.",
    },
  };

  for (const [what, { before, says }] of Object.entries(lacking)) {
    it(`says what to do where it lacks ${what}, in one line, and exits with 1`, async () => {
      await before();
      const commands = [start('sync', '--once'), start('sync', '--status')];
      for (const command of commands) {
        expect(await command.exitCode()).to.equal(1);
        expect(command.output).to.match(/^[^\n]+\n$/);
        expect(command.output).to.contain(says);
      }
    });
  }

  it('waits as a worker, says why, and begins when they are migrated', async () => {
    const worker = start('sync');
    await worker.printed(/has no table organizations/);
    await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
    await migrate(databases, () => {});
    await worker.printed(/this worker leads/);
    expect(await worker.end('SIGTERM')).to.equal(0);
    expect(worker.output.match(/fails, and is tried again/g)).to.have.length(1);
  });
});
