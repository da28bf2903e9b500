import { expect } from 'chai';
import type { Knex } from 'knex';
import { MYSQL_ENGINE } from '../../../../../src/adapters/dashboard/mysql/engine.js';
import { MappedChangeFeed } from '../../../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { SourceReader } from '../../../../../src/adapters/dashboard/source/source-reader.js';
import { dashboardOf } from '../../../../../src/composition/dashboard-of.js';
import {
  MYSQL_MAPPING,
  makeReferenceSchema,
  openMysqlDashboard,
} from '../../../../support/dashboards/mysql-dashboard.js';
import { MariaDbServer } from '../../../support/servers/mariadb-server.js';
import { mariaDbForTests } from '../../../support/servers/test-mariadb.js';

describe('On a MariaDB server with unusual settings,', () => {
  let server: MariaDbServer;
  let url: string;
  let database: Knex;

  before(async function () {
    server = await MariaDbServer.start(await mariaDbForTests(this), [
      '--character-set-server=latin1',
      '--skip-character-set-client-handshake',
      '--wait-timeout=1',
      '--completion-type=CHAIN',
      '--max-sort-length=64',
      '--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES',
      '--log-bin',
      '--binlog-format=STATEMENT',
    ]);
    url = await server.createDatabase('dashboard');
    database = openMysqlDashboard(url);
  });

  after(async () => {
    await database?.destroy();
    await server?.stop();
  });

  it('a session reads all characters', async () => {
    const [rows] = await database.raw(
      `select '🌊' as sent, convert(_utf8mb4 x'f09f8c8a' using utf8mb4) as stored`,
    );
    expect(rows).to.eql([{ sent: '🌊', stored: '🌊' }]);
  });

  it('a session may be idle for longer than the server allows others, and each snapshot is a new one', async () => {
    const [rows] = await database.raw('select @@wait_timeout as idle, @@completion_type as completion');
    expect(rows).to.eql([{ idle: '3600', completion: 'NO_CHAIN' }]);
  });

  it('a session sorts long ids by all of their characters', async () => {
    const ids = ['2', '1'].map((end) => `select '${'x'.repeat(500)}${end}' as id`);
    const [rows] = await database.raw(
      `select right(id, 1) as end from (${ids.join(' union all ')}) as ids order by id`,
    );
    expect(rows).to.eql([{ end: '1' }, { end: '2' }]);
  });
});

describe('On a MariaDB server that writes a binary log and trusts no creator of functions,', () => {
  let server: MariaDbServer;
  let url: string;
  let database: Knex;
  const migrateAs = (address: string) =>
    dashboardOf({ writeDatabaseUrl: address })
      .migrate(() => {})
      .catch((error: Error) => error.message);
  const made = async () => {
    const [rows] = await database.raw(`select table_name as name from information_schema.tables
      where table_schema = database() and table_name like 'content\\_sync\\_%'
      union all select routine_name from information_schema.routines where routine_schema = database()`);
    return rows as readonly unknown[];
  };

  before(async function () {
    server = await MariaDbServer.start(await mariaDbForTests(this), [
      '--log-bin',
      '--binlog-format=ROW',
      '--log-bin-trust-function-creators=0',
    ]);
    url = await server.createDatabase('dashboard');
    await makeReferenceSchema(url);
    database = openMysqlDashboard(url);
  });

  after(async () => {
    await database?.destroy();
    await server?.stop();
  });

  it('`migrate` reports what is needed to a user who is not an administrator, and creates nothing', async () => {
    await database.raw(`create user migrates identified by 'm'`);
    await database.raw(`grant select, create, drop, index, insert, delete, trigger, create routine, alter routine, execute
      on dashboard.* to migrates`);
    await database.raw('grant process on *.* to migrates');
    const address = new URL(url);
    [address.username, address.password] = ['migrates', 'm'];
    expect(await migrateAs(address.href)).to.match(/WRITE_DATABASE_URL: .*log_bin_trust_function_creators/s);
    expect(await made()).to.eql([]);
  });

  it('`migrate` as an administrator installs the change capture, and changes are queued', async () => {
    expect(await migrateAs(url)).to.equal(undefined);
    await database.raw('delete from content_sync_changes');
    await database.raw(`insert into organizations (id, name) values ('org', 'Organization')`);
    const [noted] = await database.raw('select kind, entity_key as `key` from content_sync_changes');
    expect(noted).to.eql([{ kind: 'organizations', key: 'org' }]);
  });

  it('the age of a change is correct, whatever the time zone of the session that makes it', async () => {
    for (const zone of ['+05:00', '-05:00']) {
      await database.raw('delete from content_sync_changes');
      await database.transaction(async (session) => {
        await session.raw(`set time_zone = '${zone}'`);
        await session.raw(`update organizations set name = '${zone}'`);
        await session.raw(`set time_zone = '+00:00'`);
      });
      const { length, lagMs } = await new MappedChangeFeed(
        database,
        new SourceReader(MYSQL_MAPPING, MYSQL_ENGINE),
        MYSQL_ENGINE,
      ).lag();
      expect(length).to.equal(1);
      expect(lagMs).to.be.within(0, 60_000);
    }
  });

  it('a long queue is counted up to a bound', async () => {
    await database.raw(
      "insert into content_sync_changes select seq, 'tags', seq, utc_timestamp(6) from seq_1_to_20000",
    );
    expect(
      (
        await new MappedChangeFeed(
          database,
          new SourceReader(MYSQL_MAPPING, MYSQL_ENGINE),
          MYSQL_ENGINE,
        ).lag()
      ).length,
    ).to.equal(10_001);
    await database.raw('delete from content_sync_changes');
  });
});
