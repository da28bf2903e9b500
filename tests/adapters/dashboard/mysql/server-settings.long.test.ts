import { expect } from 'chai';
import type { Knex } from 'knex';
import { MysqlDashboard } from '../../../../src/composition/dashboards/mysql-dashboard.js';
import { MariaDbServer } from '../../../support/mariadb-server.js';
import { MYSQL_MAPPING, openMysqlDashboard } from '../../../support/mysql-dashboard.js';
import { mariaDbForTests } from '../../../support/test-mariadb.js';

describe('With a MariaDB that is set up otherwise,', () => {
  let server: MariaDbServer;
  let url: string;
  let database: Knex;

  before(async function () {
    server = await MariaDbServer.start(await mariaDbForTests(this), [
      '--character-set-server=latin1',
      '--skip-character-set-client-handshake',
      '--wait-timeout=1',
      '--completion-type=CHAIN',
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

  it('a session may be idle for longer than the server lets others be, and each snapshot is a new one', async () => {
    const [rows] = await database.raw('select @@wait_timeout as idle, @@completion_type as completion');
    expect(rows).to.eql([{ idle: '3600', completion: 'NO_CHAIN' }]);
  });

  it('`migrate` says what a binary log of statements means, before it makes anything', async () => {
    const failure = await new MysqlDashboard(url, MYSQL_MAPPING).migrate(() => {}).catch(String);
    expect(failure).to.match(/binlog_format to ROW or MIXED/);
    const [tables] = await database.raw('show tables');
    expect(tables).to.eql([]);
  });
});
