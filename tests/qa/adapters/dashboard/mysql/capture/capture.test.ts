import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Captures } from '../../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { digestOf } from '../../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { installCapture } from '../../../../../../src/adapters/dashboard/mysql/capture/capture.js';
import { captureState } from '../../../../../../src/adapters/dashboard/mysql/capture/capture-state.js';
import { TableLocked } from '../../../../../../src/adapters/dashboard/source/table-locked.js';
import { columnChanges } from '../../../../../support/dashboards/changed-columns.js';
import {
  mappingWith,
  openMysqlDashboard,
  tablesAreSettled,
} from '../../../../../support/dashboards/mysql-dashboard.js';
import { createTestMariaDbDatabase } from '../../../../support/servers/test-mariadb.js';

const TABLES = [
  `create table users (id int primary key, name varchar(50), shown varchar(50) as (concat(name, '?')) virtual)`,
  `create table sites (id int primary key)`,
  `create table posts (id varchar(50) primary key, site_id int, title varchar(50), seen_at datetime,
    foreign key (site_id) references sites (id) on delete cascade on update cascade)`,
  `create table posts_authors (post_id varchar(50), author_id int, primary key (post_id, author_id),
    foreign key (post_id) references posts (id) on delete cascade on update cascade)`,
  `create table pages (id int primary key, parent_id int, foreign key (parent_id) references pages (id) on delete cascade)`,
  `create table terms (id int primary key, parent_id int, foreign key (parent_id) references terms (id) on delete set null)`,
  `create table settings (id int primary key)`,
];
const CAPTURES: Captures = {
  users: { blogs: 'select post_id from posts_authors where author_id = changed.id' },
  sites: { websites: 'id' },
  posts: { blogs: `concat('p-', id)` },
  posts_authors: { blogs: `concat('p-', post_id)` },
  pages: { categories: 'id' },
  terms: { tags: 'id' },
  settings: 'everything',
};

const READS = 'select posts.id, title, site_id, name from posts, users';
const MAPPING = mappingWith(CAPTURES, READS);

describe('The change capture in MariaDB', () => {
  let url: string;
  let database: Knex;

  beforeEach(async function () {
    url = await createTestMariaDbDatabase(this);
    database = openMysqlDashboard(url);
    for (const table of TABLES) await database.raw(table);
    await installCapture(database, MAPPING);
    await run(
      'insert into users (id, name) values (1, "a"), (2, "b")',
      'insert into sites values (1), (2)',
      'insert into posts values ("a", 1, "A", null), ("b", 1, "B", null), ("c", 2, "C", null)',
      'insert into posts_authors values ("a", 1), ("b", 1), ("c", 2)',
      'insert into pages values (1, null), (2, 1), (3, 2)',
      'insert into terms values (1, null), (2, 1)',
    );
  });

  afterEach(async () => {
    await database?.destroy();
  });

  async function run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await database.raw(statement);
  }

  /** The changes in the queue after some statements, each once and in order. */
  async function changesOf(...statements: readonly string[]): Promise<string[]> {
    await run('delete from content_sync_changes', ...statements);
    const [rows] = await database.raw(
      `select distinct concat_ws(' ', kind, entity_key) as change_of from content_sync_changes order by 1`,
    );
    return (rows as { change_of: string }[]).map((row) => row.change_of);
  }

  const state = () => captureState(database, MAPPING);

  it('queues everything for a table that affects everything', async () => {
    expect(await changesOf('insert into settings values (1), (2)')).to.eql(['everything']);
  });

  it('queues the old and the new key of a row, even if they differ in case only', async () => {
    expect(await changesOf('update posts set id = "A" where id = "a"')).to.include.members([
      'blogs p-A',
      'blogs p-a',
    ]);
  });

  it('queues what must be looked up, and by which values', async () => {
    const byAuthor = (id: number) => `lookup ["users", "blogs", {"id": "n${id}"}]`;
    expect(await changesOf('update users set name = "x" where id = 1')).to.eql([byAuthor(1)]);
    expect(await changesOf('update users set id = 3 where id = 1')).to.eql([byAuthor(1), byAuthor(3)]);
  });

  it('queues nothing that is rolled back or refused', async () => {
    const transaction = await database.transaction();
    await transaction.raw('update posts set title = "undone"');
    await transaction.rollback();
    expect(await changesOf()).to.eql([]);
    await database
      .raw('insert into posts (id, site_id, title) values ("z", null, "Z"), ("a", null, "twice")')
      .catch(() => {});
    expect(await changesOf('select 1')).to.eql([]);
  });

  describe('if a foreign key changes other rows,', () => {
    it('queues them before they are deleted', async () => {
      expect(await changesOf('delete from posts where id = "a"')).to.eql(['blogs p-a']);
    });

    it('causes a rebuild if it goes on from there to other captured rows', async () => {
      expect(await changesOf('delete from sites where id = 1')).to.eql(['everything', 'websites 1']);
      expect(await changesOf('insert into sites values (9)', 'delete from sites where id = 9')).to.eql([
        'websites 9',
      ]);
    });

    it('queues rows that lose their parent', async () => {
      expect(await changesOf('delete from terms where id = 1')).to.eql(['tags 1', 'tags 2']);
    });

    it('causes a rebuild if the key of other rows changes with that of a row', async () => {
      expect(await changesOf('update posts set id = "n" where id = "a"')).to.eql([
        'blogs p-a',
        'blogs p-n',
        'everything',
      ]);
      expect(await changesOf('update posts set title = "same key" where id = "b"')).to.eql(['blogs p-b']);
    });

    it('causes a rebuild if the depth of a cascade is unknown', async () => {
      expect(await changesOf('delete from pages where id = 1')).to.include('everything');
      expect(await changesOf('insert into pages values (8, null)', 'delete from pages where id = 8')).to.eql([
        'categories 8',
      ]);
    });

    it('queues a row that another transaction committed after the snapshot of the one that deletes', async () => {
      await run('delete from content_sync_changes');
      const deleting = await database.transaction({ isolationLevel: 'repeatable read' });
      await deleting.raw('select count(*) from terms');
      await run('insert into terms values (9, 1)', 'delete from content_sync_changes');
      await deleting.raw('delete from terms where id = 1');
      await deleting.commit();
      const [rows] = await database.raw('select entity_key from content_sync_changes');
      expect((rows as { entity_key: string }[]).map((row) => row.entity_key)).to.include('9');
    });
  });

  it('does not affect the triggers of others, and fires together with them', async () => {
    await run(
      'create trigger theirs after update on posts for each row set @theirs = new.id',
      'create table log (id varchar(50))',
      'create trigger theirs_too after delete on posts for each row insert into log values (old.id)',
    );
    expect(await changesOf('delete from posts where id = "c"')).to.eql(['blogs p-c']);
    const [rows] = await database.raw('select id from log');
    expect(rows).to.eql([{ id: 'c' }]);
  });

  it('needs no right of the writing role on its own tables', async () => {
    const name = new URL(url).pathname.slice(1);
    await run(
      `grant select, insert, update, delete on ${name}.posts to 'writer_${name}'@'%' identified by 'w'`,
    );
    const address = new URL(url);
    [address.username, address.password] = [`writer_${name}`, 'w'];
    const writer = openMysqlDashboard(address.href);
    try {
      await run('delete from content_sync_changes');
      await writer.raw('update posts set title = "theirs" where id = "a"');
      const [rows] = await database.raw('select entity_key from content_sync_changes');
      expect(rows).to.eql([{ entity_key: 'p-a' }]);
    } finally {
      await writer.destroy();
      await run(`drop user 'writer_${name}'@'%'`);
    }
  });

  it('does not replace the procedure that the worker calls, so that the worker keeps its right to call it', async () => {
    const madeAt = async () => {
      const [rows] = await database.raw(`show procedure status like 'content_sync_facts'`);
      return rows.filter((row: { Db: string }) => url.endsWith(row.Db))[0].Created;
    };
    const name = new URL(url).pathname.slice(1);
    await run(
      `create user 'asks_${name}'@'%'`,
      `grant execute on procedure ${name}.content_sync_facts to 'asks_${name}'@'%'`,
    );
    const before = await madeAt();
    await run('drop table pages');
    await installCapture(database, MAPPING);
    expect(await madeAt()).to.equal(before);
    const [grants] = await database.raw(`show grants for 'asks_${name}'@'%'`);
    expect(JSON.stringify(grants)).to.include('content_sync_facts');
    await run(`drop user 'asks_${name}'@'%'`);
  });

  it('prevents no write if a column of the mapping is missing', async () => {
    await run(
      'alter table posts_authors drop foreign key posts_authors_ibfk_1',
      'alter table users change id number int',
    );
    expect(await changesOf('update users set name = "x" where number = 1')).to.eql(['everything']);
    expect((await state()).broken).to.have.length.above(0);
  });

  for (const [what, key, values] of [
    ['calls a function that is gone', 'gone(id)', {}],
    ['leaves the range of its type', 'amount - 5', { amount: 1 }],
    ['casts a bad text', 'cast(written as unsigned)', { written: 'x' }],
    ['casts a bad date', 'cast(written as date)', { written: '2024-02-31' }],
    ['reads bad JSON', `json_value(written, '$.id')`, { written: '{' }],
    ['overflows', 'pow(10, 10 + amount) * amount * 9223372036854775807', { amount: 300 }],
    ['is too long', `repeat(written, 1001)`, { written: 'x' }],
  ] as const) {
    it(`prevents no write if a key ${what}`, async () => {
      const strict = `set session sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO'`;
      await run(
        strict,
        'create table odd (id int primary key auto_increment, amount int unsigned, written text)',
        'create function gone(id int) returns int deterministic return id',
      );
      await installCapture(database, mappingWith({ odd: { blogs: key } }, 'select id from odd'));
      await run('drop function gone', 'delete from content_sync_changes', strict);
      await database('odd').insert(values);
      const [rows] = await database.raw('select kind from content_sync_changes');
      const [written] = await database.raw('select * from odd');
      expect(written).to.have.length(1);
      // JSON that cannot be read has no value in MariaDB, which is no error.
      if (!key.startsWith('json')) expect(rows).to.eql([{ kind: 'everything' }]);
    });
  }

  describe('according to its state,', () => {
    const settled = async () => {
      await tablesAreSettled(database);
      return state();
    };

    it('is complete, and does not change with ordinary writes', async () => {
      const before = await settled();
      expect(before.broken).to.eql([]);
      await run('insert into posts (id, site_id, title) values ("n", null, "N")', 'analyze table posts');
      expect(await state()).to.eql(before);
    });

    it('has changed twice if a table is changed at the moment of a look, because it may change again', async () => {
      await run('alter table settings add column at_that_moment int');
      const atOnce = (await state()).seen;
      const later = (await settled()).seen;
      expect(Object.keys(later).filter((table) => later[table] !== atOnce[table])).to.include('settings');
    });

    for (const [what, statements, table] of [
      ...Object.entries(columnChanges('posts', 'seen_at', 'datetime')).map(
        ([change, sql]) => [change, sql, 'posts'] as const,
      ),
      ['an index is added', ['create index by_title on posts (title)'], 'posts'],
      [
        'a computed column gets another expression',
        [`alter table users modify shown varchar(50) as (concat(name, '!')) virtual`],
        'users',
      ],
      ['a table is truncated', ['truncate posts_authors'], 'posts_authors'],
      [
        'a table is created again',
        ['drop table settings', 'create table settings (id int primary key)'],
        'settings',
      ],
      ['a column is changed', ['alter table posts modify title varchar(60)'], 'posts'],
    ] as const) {
      it(`has changed if ${what}`, async () => {
        const before = (await settled()).seen;
        await run(...statements);
        const { seen } = await state();
        expect(Object.keys(before).filter((each) => seen[each] !== before[each])).to.eql([table]);
      });
    }

    it('is broken if a trigger is dropped, if a table replaces another one, and if a table is missing', async () => {
      const [triggers] = await database.raw(`show triggers like 'users'`);
      await run(`drop trigger ${triggers[0].Trigger}`);
      expect((await state()).broken).to.have.length(1);
      await installCapture(database, MAPPING);
      await run(
        'create table sites_new like sites',
        'rename table settings to settings_old, settings_old to settings',
      );
      await run(
        'create table settings_new like settings',
        'rename table settings to gone, settings_new to settings',
      );
      expect((await state()).broken.join()).to.match(/^settings: the trigger/);
      await run('drop table posts_authors');
      expect((await state()).broken.join()).to.include('posts_authors is missing');
      await run('drop function content_sync_note');
      expect((await state()).broken.join()).to.include('the function that all triggers call');
    });

    it('is broken if an index that a trigger uses is missing, and complete if another one is added', async () => {
      // It replaces the index that the server created for the foreign key.
      await run('create index of_their_own on posts (site_id)');
      expect((await state()).broken.join()).to.match(/^sites: the trigger before delete/);
      expect(await changesOf('delete from sites where id = 1')).to.eql(['everything', 'websites 1']);
      await installCapture(database, MAPPING);
      await run('create index another on posts (site_id, title)');
      expect((await state()).broken).to.eql([]);
      expect(await changesOf('delete from sites where id = 2')).to.eql(['everything', 'websites 2']);
    });

    it('is repaired by installing it again, which causes a rebuild', async () => {
      await run(
        'create table settings_new like settings',
        'rename table settings to gone, settings_new to settings',
      );
      expect((await state()).broken).not.to.eql([]);
      await run('delete from content_sync_changes');
      expect(await installCapture(database, MAPPING))
        .to.have.property('triggers')
        .that.is.above(0);
      expect((await state()).broken).to.eql([]);
      expect(await changesOf()).to.eql([]);
      expect(await installCapture(database, MAPPING)).to.eql({
        triggers: 0,
        hasOthers: false,
      });
    });

    for (const lost of ['function content_sync_note', 'table content_sync_changes']) {
      it(`causes a rebuild if the ${lost}, without which triggers note nothing, is installed again`, async () => {
        await run(
          'delete from content_sync_changes',
          `drop ${lost}`,
          'update posts set title = "unseen" where id = "a"',
        );
        await installCapture(database, MAPPING);
        const [rows] = await database.raw('select kind from content_sync_changes');
        expect(rows).to.deep.include({ kind: 'everything' });
      });
    }

    it('names its mapping, even if the procedure that the worker calls was created again', async () => {
      await run(
        'drop procedure content_sync_facts',
        `create procedure content_sync_facts() comment '${digestOf(MAPPING)}' select 1`,
      );
      await installCapture(database, MAPPING);
      expect((await state()).broken).to.eql([]);
    });
  });

  it('lets writers go first if another session keeps a table locked, and names the table', async () => {
    const other = { ...CAPTURES, posts: { blogs: 'id' } };
    const busy = await database.transaction();
    await busy.raw('update posts set title = "long"');
    const impatient = openMysqlDashboard(url);
    await impatient.raw('set session lock_wait_timeout = 1');
    const failure = await installCapture(impatient, mappingWith(other, READS)).catch(
      (error: unknown) => error,
    );
    await busy.rollback();
    await impatient.destroy();
    expect(failure).to.be.instanceOf(TableLocked).with.property('message').that.contains(': posts in');
    expect(await installCapture(database, mappingWith(other, READS)))
      .to.have.property('triggers')
      .that.is.above(0);
    expect(await changesOf('update posts set title = "after" where id = "a"')).to.eql(['blogs a']);
  });
});
