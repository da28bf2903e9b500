import { expect } from 'chai';
import type { Knex } from 'knex';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { Finding } from '../../../src/domain/model/finding.js';
import { manageKeys } from '../../../src/programs/keys/manage-keys.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { createTestMariaDbDatabase } from '../../qa/support/servers/test-mariadb.js';
import { createMysqlDashboard, openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createDashboard, createReadTables } from '../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { complaints, findings } from '../../support/programs/doctor-findings.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { openSession } from '../../support/sync/open-session.js';
import { type Databases, syncSettings } from '../../support/sync/sync-settings.js';

interface Engine {
  readonly dashboard: (context: Mocha.Context) => Promise<string>;
  readonly empty: (context: Mocha.Context) => Promise<string>;
  readonly open: (url: string) => Knex;
  /** As a later version would install the capture. */
  readonly upgrade: string;
}

const ENGINES: Readonly<Record<string, Engine>> = {
  PostgreSQL: {
    dashboard: () => createDashboard(),
    empty: () => createTestDatabase(),
    open: openDashboardDatabase,
    upgrade: `comment on schema content_sync is 'blog-read-api: the change capture of the mapping 99-0123456789abcdef'`,
  },
  MariaDB: {
    dashboard: createMysqlDashboard,
    empty: async (context) => createTestMariaDbDatabase(context),
    open: openMysqlDashboard,
    upgrade: `alter procedure content_sync_facts comment '99-0123456789abcdef'`,
  },
};

const doctorSettings = (databases: Databases) => ({
  ...syncSettings(databases),
  redisUrls: null,
  redisCacheUrls: null,
});

for (const [name, { dashboard, empty, open, upgrade }] of Object.entries(ENGINES)) {
  describe(`An operator of a dashboard on ${name} is told`, () => {
    let databases: Databases;
    let database: Knex;

    before(async function () {
      databases = { writeDatabaseUrl: await dashboard(this), readDatabaseUrl: await createReadTables() };
      database = open(databases.writeDatabaseUrl);
      await migrate(databases, () => {});
    });
    after(() => database?.destroy());

    /** What a check of a worker's /readyz finds. */
    async function findingOf(name: string, settings = databases): Promise<Finding | undefined> {
      const program = new SyncProgram(syncSettings(settings), new PrometheusMetrics());
      try {
        return await eventually(async () => {
          const finding = await program
            .checks()
            .find((check) => check.name === name)
            ?.run();
          expect(finding?.message).not.to.match(/^no answer within/);
          return finding;
        });
      } finally {
        await program.stop();
      }
    }
    /** Of the doctor, all that is not in order. */
    const isToldBy = async (check: string) =>
      (await complaints(doctorSettings(databases))).filter((line) => line.includes(` ${check}.`));
    async function printedByMigrate(): Promise<readonly string[]> {
      const lines: string[] = [];
      await migrate(databases, (line) => lines.push(line));
      return lines;
    }

    it('that the read tables cannot be read, and not to accept this dashboard', async () => {
      const readDatabaseUrls = ['postgres://user:secret@127.0.0.1:1/content', await createTestDatabase()];
      for (const readDatabaseUrl of readDatabaseUrls) {
        const found = await findings(doctorSettings({ ...databases, readDatabaseUrl }));
        const identity = found.find(({ check }) => check === 'dashboard');
        expect(identity?.message).to.match(
          /^not compared with the read tables, because READ_DATABASE_URL: (connect ECONNREFUSED|42P01: relation)/,
        );
        expect(JSON.stringify(found)).not.to.include('--accept-dashboard');
      }
    });

    it('which tables the dashboard lacks, in the words of migrate and once', async function () {
      const settings = doctorSettings({ ...databases, writeDatabaseUrl: await empty(this) });
      const failure = await migrate(settings, () => {}).catch((error: Error) => error.message);
      expect(failure).to.match(
        /^The dashboard's database \(WRITE_DATABASE_URL\) has no table organizations, /,
      );
      const found = (await complaints(settings)).filter((line) =>
        /dashboard|mapping|changeCapture|syncLag/.test(line),
      );
      expect(found).to.eql([`failure dashboard.unread: ${failure}`]);
    });

    it('the variable of an address that leads nowhere, by the command for keys and in /readyz', async () => {
      const url = new URL(databases.writeDatabaseUrl);
      url.host = '127.0.0.1:1';
      const { advice } = (await findingOf('dashboard', { ...databases, writeDatabaseUrl: url.href })) ?? {};
      expect(advice).to.match(/^check that the server runs .* WRITE_DATABASE_URL is correct$/);
      const command = { name: 'keys list', organizationId: 'org', json: false } as const;
      const failure = await manageKeys(command, { writeDatabaseUrl: url.href }, () => {}).catch(String);
      expect(failure).to.equal('Error: WRITE_DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1');
    });

    it('why a server refuses the password, by all checks that ask it, also at once, and by the doctor', async () => {
      const refused = /(password authentication failed|Access denied) for user/;
      for (const [variable, check, inDoctor] of [
        ['readDatabaseUrl', 'migrations', 'readServer'],
        ['writeDatabaseUrl', 'dashboard', 'dashboardServer'],
      ] as const) {
        const url = Object.assign(new URL(databases[variable]), { password: 'wrong' });
        const settings = { ...databases, [variable]: url.href };
        const program = new SyncProgram(syncSettings(settings), new PrometheusMetrics());
        const asking = program
          .checks()
          .filter(({ name, after }) => name !== 'webhooks' && [name, ...after].includes(check));
        const examined = await Promise.all(asking.map(({ run }) => run())).finally(() => program.stop());
        expect(examined).to.have.length.above(1);
        for (const { message } of examined) expect(message).to.match(refused);
        const found = await findings(doctorSettings(settings));
        expect(found.find((finding) => finding.check === inDoctor)?.message).to.match(refused);
      }
    });

    it('the cause of a failed statement, which comes last and without values', async () => {
      const failure = await database('no_such_table')
        .where({ id: 'secret' })
        .catch((error: Error) => error);
      expect(failure)
        .to.have.property('message')
        .that.matches(/^(relation "no_such_table"|Table '.*') does/);
      expect(failure)
        .to.have.property('statement')
        .that.matches(/^select .* where .*id.* = (\$1|\?)$/);
    });

    it('that a column of the mapping is missing, at the next look, as long as it is', async () => {
      expect(await findingOf('mapping')).to.include({ outcome: 'ok' });
      await database.raw('alter table blogs rename column excerpt to summary');
      const [finding, [complaint]] = [await findingOf('mapping'), await isToldBy('mapping')];
      await database.raw('alter table blogs rename column summary to excerpt');
      expect(finding).to.include({ outcome: 'failure' });
      expect(finding?.message).to.match(/blogs: .*excerpt/);
      expect(complaint).to.match(/^failure .*blogs: .*excerpt/);
      expect(await findingOf('mapping')).to.include({ outcome: 'ok' });
    });

    it('which column of the mapping has a type that cannot be read', async () => {
      await database.raw('alter table blogs rename column word_count to words');
      await database.raw('alter table blogs add column word_count text');
      const finding = await findingOf('mapping');
      await database.raw('alter table blogs drop column word_count');
      await database.raw('alter table blogs rename column words to word_count');
      expect(finding?.message).to.match(/blogs.*word_count/);
      expect(finding?.advice).to.match(/^correct the file of DASHBOARD_MAPPING/);
    });

    it('that a newer version has migrated the capture, and not that changes are missed', async () => {
      await database.raw(upgrade);
      const finding = await findingOf('changeCapture');
      expect(finding).to.include({ outcome: 'warning', message: 'migrated by a newer version' });
      expect(await isToldBy('changeCapture')).to.eql([`warning changeCapture.newer: ${finding?.message}`]);
      expect((await printedByMigrate()).at(-1)).to.equal(
        'Change capture: migrated by a newer version, so nothing is changed.',
      );

      const log = new RecordingLog();
      const engine = dashboardOf(databases);
      const session = openSession({ ...databases, engine }, new MemoryMetrics(), log);
      const epoch = (await session.ports.leadership.claim(null)) ?? 0;
      for (let look = 0; look < 2; look++) await session.checkCapture(epoch);
      await session.close();
      expect(log.messages).to.have.length(1);
      expect(log.messages[0]).to.match(/^change capture: migrated by a newer version/);
    });

    it('that a newer version has migrated the read tables, and not that anything is corrupt', async () => {
      const readTables = openDashboardDatabase(databases.readDatabaseUrl);
      await readTables.raw(
        `insert into content_read_migrations.read_tables (name, batch, migration_time) values ('9999_newer.sql', 2, now())`,
      );
      await readTables.destroy();
      expect((await printedByMigrate())[0]).to.equal(
        'Read tables: migrated by a newer version (9999_newer.sql), so nothing is changed.',
      );
      const finding = await findingOf('migrations');
      expect(finding).to.include({
        outcome: 'warning',
        message: 'migrated by a newer version: 9999_newer.sql',
      });
      expect(await isToldBy('migrations')).to.eql([`warning migrations.newer: ${finding?.message}`]);
    });
  });
}
