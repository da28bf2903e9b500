import { expect } from 'chai';
import type { Knex } from 'knex';
import pg from 'pg';
import type {
  CapturedTable,
  DashboardMapping,
} from '../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import {
  CAPTURE_MIGRATIONS,
  installCapture,
} from '../../../../../src/adapters/dashboard/postgres/capture/capture.js';
import { POSTGRES_ENGINE } from '../../../../../src/adapters/dashboard/postgres/engine.js';
import { MappedChangeFeed } from '../../../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { SourceReader } from '../../../../../src/adapters/dashboard/source/source-reader.js';
import { migrateDatabase } from '../../../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { openDashboardDatabase } from '../../../../../src/adapters/sql/postgres/open-database.js';
import { createTestDatabase } from '../../../../support/postgres/test-postgres.js';
import { TestRole } from '../../../../support/postgres/test-role.js';

const TABLES = `
  create domain mark as varchar(20) not null;
  create collation whatever_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table authors (
    id bigint primary key, name text not null, born date, rates numeric(6, 2)[], mark mark default '', "Full Name" text, handle text collate whatever_case
  );
  create table posts_authors (post bigint, author bigint, primary key (post, author));
  create table posts (id bigint primary key, signed text, born date, rate numeric, handle text);
  insert into authors values (1, 'Zoé', '2000-02-29', '{1.5,2}', 'm', 'O''Hara "\\"', 'ZOE'), (2, 'Al', null, null, '', null, null);
  insert into posts values (1, 'Zoé', '2000-02-29', 1.5, 'zoe'), (2, 'O''Hara "\\"', null, 7, null), (3, null, null, null, null);
  insert into posts_authors values (1, 1), (2, 1), (3, 2);
  create sequence look_ups;`;
const BY_LINK = 'select post from public.posts_authors as link where link.author = changed.id';

const KEYS: Readonly<Record<string, readonly [key: string, ...found: string[]]>> = {
  'by a number': [BY_LINK, '1', '2'],
  'by a text': ['select id from public.posts where signed = changed.name', '1'],
  'by a column whose name has a space, and a text with quotes': [
    'select id from public.posts where signed = changed."Full Name"',
    '2',
  ],
  'by a day': ['select id from public.posts where posts.born = changed.born', '1'],
  'by an array': ['select id from public.posts where rate = any(changed.rates)', '1'],
  'by a text that is compared without regard to case': [
    'select id from public.posts where posts.handle = changed.handle',
    '1',
  ],
  'by the whole row': [`select id from public.posts where to_jsonb(changed) ->> 'name' = signed`, '1'],
  'by several selects': [`with mine as (${BY_LINK}) select post from mine where post > 1`, '2'],
  'for any changed row': ['select id from public.posts', '1', '2', '3'],
};

const NO_MAPPING: DashboardMapping = {
  timeZone: null,
  selects: { tags: 'select id, name from public.authors' } as DashboardMapping['selects'],
  hasManagedKeys: false,
  captures: [],
};

/** What makes a select fail after it was checked. */
const LOSSES: Readonly<Record<string, string>> = {
  'a table that it reads is missing': 'drop table posts_authors',
  'a column of that table has another type':
    'alter table posts_authors drop constraint posts_authors_pkey, alter column author type date using now()',
};

describe('A key that is a select', () => {
  let url: string;
  let database: Knex;
  let feed: MappedChangeFeed;

  const work = (on: Knex, mapping: DashboardMapping) => {
    feed = new MappedChangeFeed(on, new SourceReader(mapping, POSTGRES_ENGINE), POSTGRES_ENGINE);
  };
  const install = async (...captures: readonly CapturedTable[]) => {
    const mapping = { ...NO_MAPPING, captures };
    await installCapture(database, mapping);
    await database.raw('delete from content_sync.change_queue');
    work(database, mapping);
  };
  const seen = async () => {
    const changes = await feed.read(100, async (all) => all);
    await feed.acknowledge(changes);
    return changes.map(({ kind, key }) => (key === null ? kind : `${kind} ${key}`)).toSorted();
  };

  const lookUpAll = async () => {
    while (await feed.lookUp());
  };

  beforeEach(async () => {
    url = await createTestDatabase();
    await migrateDatabase(url, CAPTURE_MIGRATIONS);
    database = openDashboardDatabase(url);
    await database.raw(TABLES);
  });
  afterEach(() => database?.destroy());

  for (const [what, [key, ...found]] of Object.entries(KEYS)) {
    it(`finds rows ${what}`, async () => {
      await install({ table: 'public.authors', touches: { blogs: key } });
      await database.raw('update authors set mark = mark where id = 1');
      expect(await seen()).to.eql(found.map((id) => `blogs ${id}`));
      expect(await feed.hasNew()).to.equal(false);
    });
  }

  it('finds rows for the old and the new row, each once, in addition to keys without a select', async () => {
    await install({ table: 'public.authors', touches: { tags: 'id', blogs: BY_LINK, categories: BY_LINK } });
    await database.raw(
      'update authors set id = 3 where id = 1; update posts_authors set author = 3 where post = 3',
    );
    expect(await seen()).to.eql(['tags 1', 'tags 3']);
    expect(await seen()).to.eql([
      'blogs 1',
      'blogs 2',
      'blogs 3',
      'categories 1',
      'categories 2',
      'categories 3',
    ]);
  });

  it('finds thousands of rows', async () => {
    await database.raw('insert into posts_authors select n, 2 from generate_series(10, 3000) as n');
    await install({ table: 'public.authors', touches: { blogs: BY_LINK } });
    await database.raw(`update authors set name = 'All'`);
    let found = 0;
    for (let some = await seen(); some.length > 0; some = await seen()) found += some.length;
    expect(found).to.equal(2994);
  });

  for (const isolation of ['read committed', 'repeatable read'] as const) {
    it(`misses no link that is committed meanwhile, at ${isolation}`, async () => {
      await install(
        { table: 'public.authors', touches: { blogs: BY_LINK } },
        { table: 'public.posts_authors', touches: { blogs: 'post' } },
      );
      const renaming = await database.transaction({ isolationLevel: isolation });
      await renaming.raw(`update authors set name = 'Zoë' where id = 1`);
      await database.raw('insert into posts_authors values (4, 1)');
      // The worker reads the post with the previous name.
      expect(await seen()).to.eql(['blogs 4']);
      await renaming.commit();

      expect(await seen()).to.eql(['blogs 1', 'blogs 2', 'blogs 4']);
    });
  }

  it('is awaited, with what it finds, by a worker that catches up', async () => {
    await install({ table: 'public.authors', touches: { blogs: BY_LINK } });
    await database.raw(`update authors set name = 'All' where id = 1`);
    await lookUpAll();
    const newest = await feed.newest();
    const [max] = await database('content_sync.change_queue').orderBy('id', 'desc').limit(1).pluck('id');
    expect(await seen()).to.eql(['blogs 1', 'blogs 2']);
    expect(newest).to.equal(BigInt(max));
  });

  it('is looked up after other changes, and what it finds goes to the lanes', async () => {
    await install({ table: 'public.authors', touches: { blogs: BY_LINK, api_keys: BY_LINK } });
    await database.raw(
      `update authors set name = 'All' where id = 1; insert into content_sync.change_queue (kind, key) values ('blogs', 'newer')`,
    );
    expect(await seen()).to.eql(['blogs newer']);
    expect(await seen()).to.eql(['apiKeys 1', 'apiKeys 2']);
    expect(await seen()).to.eql(['blogs 1', 'blogs 2']);
  });

  it('does not delay a revocation while another one takes long, and is everything if it takes too long alone', async () => {
    const slow = `select id from public.posts where changed.id <> 1 or pg_sleep(20) is not null`;
    await install({ table: 'public.authors', touches: { blogs: slow } });
    await database.raw(
      `insert into authors select n, 'Ann' from generate_series(3, 9) as n; update authors set name = 'All';
       insert into content_sync.change_queue (kind, key) values ('api_keys', 'revoked')`,
    );
    expect(await seen()).to.eql(['apiKeys revoked']);
    const found: string[] = [];
    for (let some = await seen(); some.length > 0; some = await seen()) found.push(...some);
    expect(new Set(found)).to.eql(new Set(['blogs 1', 'blogs 2', 'blogs 3', 'everything']));
  });

  it('of several changes that are the same is looked up once', async () => {
    await install({
      table: 'public.authors',
      touches: { blogs: "select nextval('public.look_ups') from public.authors where id = changed.id" },
    });
    await database.raw(`update authors set name = 'All' where id = 1`);
    await database.raw(`update authors set name = 'Any' where id = 1`);
    expect(await seen()).to.eql(['blogs 1']);
    expect(await seen()).to.eql([]);
  });

  it('is as old as the change for which it was queued', async () => {
    await install({ table: 'public.authors', touches: { blogs: BY_LINK } });
    await database.raw(
      `update authors set name = 'All' where id = 1; update content_sync.change_queue set at = '2026-01-01T00:00:00Z'`,
    );
    await lookUpAll();
    expect(await database('content_sync.change_queue').distinct('at').pluck('at')).to.eql([
      new Date('2026-01-01T00:00:00Z'),
    ]);
  });

  for (const [what, loss] of Object.entries(LOSSES)) {
    it(`causes a rebuild if ${what}`, async () => {
      await install({ table: 'public.authors', touches: { blogs: BY_LINK } });
      await database.raw(`${loss}; update authors set name = 'All' where id = 1`);
      expect(await seen()).to.eql(['everything']);
    });
  }

  it('causes a rebuild if the mapping has changed since', async () => {
    await install({ table: 'public.authors', touches: { blogs: BY_LINK } });
    await database.raw(`update authors set name = 'All' where id = 1`);
    work(database, NO_MAPPING);
    expect(await seen()).to.eql(['everything']);
  });

  it('has all API keys read first if it fails and is one of theirs', async () => {
    await install({ table: 'public.authors', touches: { api_keys: BY_LINK } });
    await database.raw(`drop table posts_authors; update authors set name = 'All' where id = 1`);
    expect(await seen()).to.eql(['apiKeys']);
    expect(await seen()).to.eql(['everything']);
  });

  it('stops a worker that may not read its tables, which is told so', async () => {
    await install({ table: 'public.authors', touches: { blogs: BY_LINK } });
    const role = await TestRole.create(database);
    await database.raw(`grant usage on schema content_sync to ${role.name};
      grant select, insert, delete on content_sync.change_queue to ${role.name}; update authors set name = 'All' where id = 1`);
    const asWorker = openDashboardDatabase(role.urlOf(url));
    work(asWorker, { ...NO_MAPPING, captures: [{ table: 'public.authors', touches: { blogs: BY_LINK } }] });
    const failure = await seen().then(() => null, String);
    await asWorker.destroy();
    expect(failure).to.match(/permission denied for table posts_authors/);
    expect(await database('content_sync.change_queue').pluck('kind')).to.eql(['lookup']);
  });

  it('is removed by migrate from a table that is no longer part of a captured one', async () => {
    await database.raw(`create table parted (id bigint) partition by list (id); create table parted_1 partition of parted for values in (1);
      create table parted_2 partition of parted for values in (2)`);
    const captured = { table: 'public.parted', touches: { blogs: 'id' } };
    await install(captured);
    await database.raw('alter table parted detach partition parted_1');
    await install(captured);
    await database.raw('insert into parted_1 values (7); insert into parted_2 values (2)');
    expect(await seen()).to.eql(['blogs 2']);
  });
});

describe('A key with a backslash', () => {
  it('means the same, whatever setting for strings a session has', async () => {
    const url = await createTestDatabase();
    await migrateDatabase(url, CAPTURE_MIGRATIONS);
    const database = openDashboardDatabase(url);
    const client = new pg.Client(url);
    try {
      await database.raw('create table posts (ref text)');
      const captures = [{ table: 'public.posts', touches: { blogs: `regexp_replace(ref, '\\d', '')` } }];
      await installCapture(database, { ...NO_MAPPING, captures });
      await client.connect();
      await client.query('set standard_conforming_strings = off');
      await client.query(`insert into posts values ('x1')`);
      expect(await database('content_sync.change_queue').where('kind', 'blogs').pluck('key')).to.eql(['x']);
    } finally {
      await client.end();
      await database.destroy();
    }
  });
});
