import { expect } from 'chai';
import type { Knex } from 'knex';
import type {
  Captures,
  DashboardMapping,
} from '../../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { installCapture } from '../../../../../../src/adapters/dashboard/mysql/capture/capture.js';
import { MYSQL_ENGINE } from '../../../../../../src/adapters/dashboard/mysql/engine.js';
import { MappedChangeFeed } from '../../../../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { SourceReader } from '../../../../../../src/adapters/dashboard/source/source-reader.js';
import { eventually } from '../../../../../../src/contracts/support/eventually.js';
import { mappingWith, openMysqlDashboard } from '../../../../../support/dashboards/mysql-dashboard.js';
import { createTestMariaDbDatabase } from '../../../../support/servers/test-mariadb.js';

const BIG = '9223372036854775807';
const TABLES = [
  `create table users (id bigint primary key, name varchar(2000) character set latin1, code varbinary(8), born date)`,
  'create table posts (id int primary key, author bigint, signed varchar(2000) character set utf8mb4, code varbinary(8), born date)',
  `insert into users values (1, 'Zoé', x'00ff27', '2000-02-29'), (2, null, null, null)`,
  `insert into posts values (1, 1, 'Zoé', x'00ff27', '2000-02-29'), (2, 1, 'x''', null, null), (3, ${BIG}, null, null, null)`,
];
const SLOW_FOR_ONE = 'select if(changed.id = 1, sleep(20), id) from posts where id = 1 + changed.id';
const READS = 'select id, name, code, born from users';
const LATE = 'insert into posts values (4, 1, null, null, null)';

describe('Rows of MariaDB that a key of the mapping looks up', () => {
  let database: Knex;
  let url: string;

  beforeEach(async function () {
    url = await createTestMariaDbDatabase(this);
    database = openMysqlDashboard(url);
    for (const table of TABLES) await database.raw(table);
  });

  afterEach(async () => {
    await database?.destroy();
  });

  /** The changes that the feed returns after some statements, each once and in order. */
  async function changesOf(key: string, ...statements: readonly string[]): Promise<string[]> {
    const feed = await feedOf(key);
    for (const statement of statements) await database.raw(statement);
    return seenBy(feed);
  }

  async function feedOf(key: string): Promise<MappedChangeFeed> {
    const captures: Captures = { users: { blogs: key }, posts: { blogs: 'id' } };
    const mapping = mappingWith(captures, READS);
    await installCapture(database, mapping);
    await database.raw('delete from content_sync_changes');
    return feedWith(mapping);
  }

  function feedWith(mapping: DashboardMapping): MappedChangeFeed {
    const reader = new SourceReader(mapping, MYSQL_ENGINE);
    return new MappedChangeFeed(database, reader, MYSQL_ENGINE);
  }

  async function seenBy(feed: MappedChangeFeed): Promise<string[]> {
    await eventually(async () => expect(await feed.hasNew()).to.equal(true));
    const changes = await feed.read(100, async (seen) => seen);
    await feed.acknowledge(changes);
    expect(await feed.read(100, async (seen) => seen)).to.deep.equal([]);
    expect(await feed.hasNew()).to.equal(false);
    return [...new Set(changes.map(({ kind, key }) => (key === null ? kind : `${kind} ${key}`)))].toSorted();
  }

  for (const [what, key, statement, expected] of [
    [
      'a number',
      'select id from posts where author = changed.id',
      `update users set name = 'x' where id = 1`,
      [1, 2],
    ],
    [
      'the largest number',
      'select id from posts where author = changed.id',
      `insert into users (id) values (${BIG})`,
      [3],
    ],
    [
      'the old and the new number of a row',
      'select id from posts where author = changed.id',
      `update users set id = ${BIG} where id = 1`,
      [1, 2, 3],
    ],
    ['a text', 'select id from posts where signed = changed.name', 'delete from users where id = 1', [1]],
    [
      'a text with a quote',
      'select id from posts where signed = changed.name',
      `insert into users (id, name) values (3, 'x''')`,
      [2],
    ],
    ['bytes', 'select id from posts where code = changed.code', 'delete from users where id = 1', [1]],
    ['a day', 'select id from posts where born = changed.born', 'delete from users where id = 1', [1]],
    ['null', 'select id from posts where code <=> changed.code', 'delete from users where id = 2', [2, 3]],
    ['nothing of the row', 'select id from posts', 'delete from users where id = 2', [1, 2, 3]],
  ] as const) {
    it(`are found by ${what}`, async () => {
      expect(await changesOf(key, statement)).to.deep.equal(expected.map((id) => `blogs ${id}`));
    });
  }

  const BY_NUMBER = 'select id from posts where author = changed.id';

  it('are those that exist when the change is committed, even if a session adds one meanwhile', async () => {
    const feed = await feedOf(BY_NUMBER);
    const renaming = await database.transaction();
    await renaming.raw(`update users set name = 'Zoë' where id = 1`);
    await database.raw(LATE);
    expect(await seenBy(feed)).to.deep.equal(['blogs 4']);
    await renaming.commit();
    expect(await seenBy(feed)).to.deep.equal(['blogs 1', 'blogs 2', 'blogs 4']);
  });

  it('are found for each of many changes', async () => {
    expect(
      await changesOf(
        BY_NUMBER,
        'insert into users (id) select seq from seq_10_to_400',
        'update users set born = null',
      ),
    ).to.deep.equal(['blogs 1', 'blogs 2']);
  });

  it('are everything if the text is too long for the queue, and if the mapping has changed since', async () => {
    expect(
      await changesOf(
        'select id from posts where signed = changed.name',
        `insert into users (id, name) values (3, repeat('é', 600))`,
      ),
    ).to.deep.equal(['everything']);
    await database.raw('delete from users where id = 1');
    const other = feedWith(mappingWith({ users: { blogs: 'id' } }, READS));
    expect(await seenBy(other)).to.deep.equal(['everything']);
  });

  it('are everything if a table that the key reads is missing', async () => {
    const feed = await feedOf('select id from posts, users as others where author = changed.id');
    await database.raw('delete from users where id = 1');
    await database.raw('rename table posts to articles');
    expect(await seenBy(feed)).to.deep.equal(['everything']);
  });

  it('are everything if one takes too long, and the others are found', async () => {
    const feed = await feedOf(SLOW_FOR_ONE);
    await database.raw('delete from users');
    const found: (string | null)[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const changes = await feed.read(100, async (seen) => seen);
      await feed.acknowledge(changes);
      found.push(...changes.map(({ kind, key }) => key ?? kind));
    }
    expect(found).to.have.members(['everything', '3']);
  });

  it('have their turn after other changes, each once', async () => {
    const feed = await feedOf(BY_NUMBER);
    await database.raw("update users set name = 'x' where id = 1");
    await database.raw("update users set name = 'y' where id = 1");
    await database.raw('update posts set author = null where id = 3');
    const first = await feed.read(100, async (seen) => seen);
    expect(first.map(({ key }) => key)).to.eql(['3']);
    await feed.acknowledge(first);
    const found = await feed.read(100, async (seen) => seen);
    expect(found.map(({ key }) => key)).to.have.members(['1', '2']);
  });
});
