import { expect } from 'chai';
import mysql from 'mysql2/promise';
import { makeReferenceSchema } from '../../support/dashboards/mysql-dashboard.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';
import { MariaDbServer } from '../support/servers/mariadb-server.js';
import { mariaDbForTests } from '../support/servers/test-mariadb.js';
import { SteppedWorker } from '../support/sync/stepped-worker.js';
import { recovers } from './recovers.js';

const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`,
  `insert into api_keys (id, organization_id, key_hash) values ('key', 'org', 'hash')`,
  `insert into tags (id, website_id, name, slug) values ('tag', 'web', 'a', 'few')`,
  ...[1, 2, 3, 4].map(
    (n) => `insert into blogs (id, website_id, title, slug, status, published_at)
      values ('${n}', 'web', 'Title', 'slug-${n}', 'published', now())`,
  ),
  `insert into blog_tags values ('1', 'tag'), ('2', 'tag')`,
];
/** More boundaries than a worker passes for one edit. */
const BOUNDARIES = 45;
/** A server takes a second to start. */
const RESTARTED_EVERY = 6;

describe('With a MariaDB dashboard, a worker', function () {
  this.timeout(600_000);
  let server: MariaDbServer;
  let databases: MysqlSyncedDatabases;
  let edits = 0;

  before(async function () {
    // Everything committed has to survive a kill.
    server = await MariaDbServer.start(await mariaDbForTests(this), ['--innodb-flush-log-at-trx-commit=1']);
    const url = await server.createDatabase('dashboard');
    await makeReferenceSchema(url);
    databases = await MysqlSyncedDatabases.createAt(url);
    for (const statement of CONTENT) await databases.dashboard.raw(statement);
    await recovers(databases);
  });

  after(async () => {
    await databases?.close();
    await server?.stop();
  });

  /** Edits a key, a blog, and a tag of two other blogs: one of each kind of step. */
  function statementsOfEdit(): readonly string[] {
    const name = `edit-${++edits}`;
    return [
      `update api_keys set key_hash = '${name}'`,
      `update blogs set title = '${name}' where id = '3'`,
      `update tags set slug = '${name}'`,
    ];
  }

  async function edit(): Promise<void> {
    for (const statement of statementsOfEdit()) await databases.dashboard.raw(statement);
  }

  /** Lets a worker continue to a boundary, and causes an event there. */
  async function interrupted(boundary: number, happens: () => Promise<void>): Promise<boolean> {
    const worker = new SteppedWorker(databases, (writer) => writer);
    try {
      await worker.continueFor(boundary);
      await happens();
      await worker.finish();
      return worker.isOver;
    } finally {
      await worker.end();
    }
  }

  it('loses nothing if its connection is killed, at any boundary', async () => {
    let over = 0;
    for (let boundary = 1; boundary <= BOUNDARIES; boundary++) {
      await edit();
      if (await interrupted(boundary, () => databases.killDashboardConnections())) over++;
      await recovers(databases);
    }
    expect(over).to.be.greaterThan(BOUNDARIES / 2);
  });

  it('loses nothing if the server is killed and started again, at any boundary', async () => {
    for (let boundary = 1; boundary <= BOUNDARIES; boundary += RESTARTED_EVERY) {
      await edit();
      await interrupted(boundary, async () => {
        await server.kill();
        await server.startAgain();
      });
      await recovers(databases);
    }
  });

  /** Prepares the transaction in a session that then ends. */
  async function prepared(name: string): Promise<void> {
    const session = await mysql.createConnection(databases.dashboardUrl);
    await session.query(`xa start '${name}'`);
    for (const statement of statementsOfEdit()) await session.query(statement);
    await session.query(`xa end '${name}'`);
    await session.query(`xa prepare '${name}'`);
    await session.end();
  }

  /** The row that the prepared transaction and the edit both write is locked until the commit. */
  const editAnother = () =>
    databases.dashboard.raw(`update blogs set title = 'other ${++edits}' where id = '4'`);
  const title = async () =>
    (await databases.readTables('content_read.blogs').where({ id: '3' }).first()).title;

  it('applies an XA transaction that was prepared before its last read and committed afterwards', async () => {
    const before = await title();
    await prepared('committed');
    await editAnother();
    await recovers(databases);
    expect(await title()).to.equal(before);
    await databases.dashboard.raw(`xa commit 'committed'`);
    expect(await databases.queueLength()).to.equal(3);
    await recovers(databases);
    expect(await title()).not.to.equal(before);
  });

  it('applies an XA transaction that was prepared, and committed after the server was killed and started again', async () => {
    const before = await title();
    await prepared('recovered');
    await server.kill();
    await server.startAgain();
    await editAnother();
    await recovers(databases);
    expect(await title()).to.equal(before);
    await databases.dashboard.raw(`xa commit 'recovered'`);
    await recovers(databases);
    expect(await title()).not.to.equal(before);
  });

  it('applies nothing of an XA transaction that was prepared and rolled back', async () => {
    const before = await title();
    await prepared('rolled back');
    await editAnother();
    await databases.dashboard.raw(`xa rollback 'rolled back'`);
    expect(await databases.queueLength()).to.equal(1);
    await recovers(databases);
    expect(await title()).to.equal(before);
  });
});
