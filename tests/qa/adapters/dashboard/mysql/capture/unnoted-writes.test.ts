import { expect } from 'chai';
import type { Knex } from 'knex';
import { eventually } from '../../../../../../src/contracts/support/eventually.js';
import {
  captureMysql,
  makeReferenceSchema,
  openMysqlDashboard,
  sharedMysqlDashboard,
} from '../../../../../support/dashboards/mysql-dashboard.js';
import { MariaDbServer } from '../../../../support/servers/mariadb-server.js';
import { mariaDbForTests } from '../../../../support/servers/test-mariadb.js';

const KEYS = 2_000;
const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into api_keys (id, organization_id, key_hash)
   select concat('key ', seq), 'org', concat('hash ', seq) from seq_1_to_${KEYS}`,
];

const REVOKE = 'update api_keys set revoked_at = now()';

async function revokedOn(database: Knex): Promise<number> {
  const [[{ revoked }]] = await database.raw('select count(revoked_at) as revoked from api_keys');
  return Number(revoked);
}

const codeOf = (write: PromiseLike<unknown>) =>
  Promise.resolve(write).then(
    () => null,
    ({ errno }: { errno: number }) => errno,
  );

describe('A write to a captured table in MariaDB', () => {
  let transaction: Knex.Transaction;
  const database = sharedMysqlDashboard(async (opened) => {
    await captureMysql(opened);
    for (const statement of CONTENT) await opened.raw(statement);
  });

  afterEach(async () => {
    await transaction.rollback();
    await database().raw('drop trigger if exists refuse');
  });

  /** Revokes the keys while the queue refuses each change with this error. */
  async function revokeIfRefused(errno: number): Promise<number | null> {
    await database().raw(`create trigger refuse before insert on content_sync_changes for each row
      signal sqlstate 'HY000' set mysql_errno = ${errno}`);
    transaction = await database().transaction();
    return codeOf(transaction.raw(REVOKE));
  }

  for (const [errno, cause] of [
    [1114, 'is full'],
    [1021, 'is on a full disk'],
    [1030, 'cannot be written'],
    [1034, 'has a corrupt index'],
    [1036, 'is read-only'],
    [1205, 'is locked'],
    [1712, 'is corrupt'],
    [1814, 'has lost its file'],
    [1932, 'is unknown to InnoDB'],
  ] as const) {
    it(`fails if its changes cannot be noted because the queue ${cause}`, async () => {
      expect(await revokeIfRefused(errno)).to.equal(errno);
      expect(await revokedOn(transaction)).to.equal(0);
    });
  }

  for (const [errno, cause] of [
    [1142, 'the owner of the triggers may not write to the queue'],
    [1143, 'the owner of the triggers may not write to a column of the queue'],
    [1146, 'there is no queue'],
    [1305, 'there is no function that writes to the queue'],
    [1370, 'the owner of the triggers may not call the function that writes to the queue'],
  ] as const) {
    it(`passes in a copy of the database, where ${cause}`, async () => {
      expect(await revokeIfRefused(errno)).to.equal(null);
      expect(await revokedOn(transaction)).to.equal(KEYS);
    });
  }
});

describe('On a MariaDB server whose storage fails, a write to a captured table', () => {
  let server: MariaDbServer;
  let database: Knex;

  before(async function () {
    server = await MariaDbServer.start(await mariaDbForTests(this), [
      '--innodb-data-file-path=ibdata1:12M:autoextend:max:20M',
      '--innodb-undo-tablespaces=2',
    ]);
  });

  beforeEach(async () => {
    const url = await server.createDatabase(`dashboard_${Date.now()}`);
    database = openMysqlDashboard(url);
    await makeReferenceSchema(url);
  });

  afterEach(() => database?.destroy());
  after(() => server?.stop());

  async function run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await database.raw(statement);
  }

  const noted = async () => {
    const [[{ changes }]] = await database.raw(
      `select count(distinct entity_key) as changes from content_sync_changes where kind = 'api_keys'`,
    );
    return Number(changes);
  };

  it('fails as long as the file of the queue is full', async () => {
    // Only the queue is in the file that cannot grow; what is updated in place needs no space.
    await run('set global innodb_file_per_table = off');
    await captureMysql(database);
    await run(
      'create table filling (id int auto_increment primary key, filling varchar(4000))',
      'set global innodb_file_per_table = on',
      ...CONTENT,
      'delete from content_sync_changes',
    );
    const fill = (rows: number) =>
      codeOf(database.raw(`insert into filling (filling) select repeat('x', 4000) from seq_1_to_${rows}`));
    for (const rows of [100, 1]) while ((await fill(rows)) === null);

    expect(await codeOf(database.raw(REVOKE))).to.equal(1114);
    expect(await revokedOn(database)).to.equal(0);

    await run('drop table filling');
    // What a dropped table had is freed later.
    await eventually(async () => expect(await codeOf(database.raw(REVOKE))).to.equal(null));
    expect([await revokedOn(database), await noted()]).to.eql([KEYS, KEYS]);
  });

  it('fails if the file of the queue is lost', async () => {
    await captureMysql(database);
    await run(...CONTENT, 'alter table content_sync_changes discard tablespace');

    expect(await codeOf(database.raw(REVOKE))).to.equal(1814);
    expect(await revokedOn(database)).to.equal(0);
  });
});
