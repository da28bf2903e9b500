import { expect } from 'chai';
import pg from 'pg';
import type { CapturedTable } from '../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { captureFunctionOf } from '../../../../../src/adapters/dashboard/postgres/capture/capture-triggers.js';
import { startCapturedDashboard } from '../../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';

const EDIT = `update blogs set title = 'New' where id = 'one'`;

interface Failure {
  readonly key: string;
  /** What changes after the key was checked. */
  readonly loss: string;
  readonly warning: RegExp;
}

const FAILURES: Readonly<Record<string, Failure>> = {
  'a column of the captured table is missing': {
    key: 'excerpt',
    loss: 'alter table blogs drop column excerpt',
    warning: /column "excerpt" does not exist/,
  },
  'a column of the captured table by which a key is looked up is missing': {
    key: 'select blog_id from public.blog_tags as link where link.tag_id = changed.excerpt',
    loss: 'alter table blogs drop column excerpt',
    warning: /column changed.excerpt does not exist/,
  },
  'a function is missing': {
    key: 'public.key_of(id)',
    loss: 'drop function public.key_of(text)',
    warning: /function public.key_of\(text\) does not exist/,
  },
  'a function of the team raises an error': {
    key: 'public.key_of(id)',
    loss: `create or replace function public.key_of(text) returns text language plpgsql as $$ begin raise exception 'not today'; end $$`,
    warning: /not today/,
  },
  'a function of the team raises an error with a code of its own': {
    key: 'public.key_of(id)',
    loss: `create or replace function public.key_of(text) returns text language plpgsql as $$ begin raise exception 'not today' using errcode = 'APP01'; end $$`,
    warning: /not today/,
  },
  'a schema is missing': {
    key: `newsroom.key_of(id)`,
    loss: 'drop schema newsroom cascade',
    warning: /schema "newsroom" does not exist/,
  },
  'a value is invalid': {
    key: '(1 / word_count)::text',
    loss: 'select 1',
    warning: /division by zero/,
  },
  'a subselect returns two rows': {
    key: '(select id from public.blogs)',
    loss: 'select 1',
    warning: /more than one row returned by a subquery/,
  },
};

/** Errors that must not be treated as a failure of the key. */
const OTHER_ERRORS: Readonly<Record<string, string>> = {
  deadlock_detected: '40P01',
  serialization_failure: '40001',
  lock_not_available: '55P03',
  query_canceled: '57014',
  admin_shutdown: '57P01',
  disk_full: '53100',
  out_of_memory: '53200',
};

describe('A key of the mapping that fails', () => {
  let dashboard: DashboardUnderTest;
  let client: pg.Client;
  let warnings: string[];

  const install = async (touches: CapturedTable['touches']) => {
    const made = captureFunctionOf({ table: 'public.blogs', touches });
    if (made !== null) await client.query(made.statement);
  };
  const waiting = async () => {
    const { rows } = await client.query(
      `select concat_ws(' ', kind, key) as change from content_sync.change_queue order by id`,
    );
    return rows.map(({ change }) => change);
  };

  before(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
    for (const id of ['one', 'two']) await dashboard.putBlog({ id });
    await dashboard.database.raw(`
      create schema newsroom;
      create function newsroom.key_of(text) returns text language sql as 'select $1';
      create function public.key_of(text) returns text language sql as 'select $1';
      delete from content_sync.change_queue`);
    client = new pg.Client(dashboard.url);
    client.on('notice', ({ message }) => void warnings.push(message ?? ''));
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await dashboard?.stop();
  });

  // Each test is rolled back, so that all of them begin with the same rows.
  beforeEach(async () => {
    await client.query('begin');
    warnings = [];
  });
  afterEach(() => client.query('rollback'));

  for (const [what, { key, loss, warning }] of Object.entries(FAILURES)) {
    it(`because ${what} causes a rebuild, and lets the dashboard write`, async () => {
      await install({ blogs: key });
      await client.query(`${loss}; delete from content_sync.change_queue`);
      warnings = [];
      await client.query(EDIT);

      expect(await waiting()).to.eql(['everything']);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0])
        .to.match(/^a key of the mapping failed for a change of blogs, so that everything is read anew: /)
        .and.to.match(warning);
    });
  }

  it('causes all API keys to be read first if it is one of theirs', async () => {
    await install({ blogs: 'id', api_keys: '(1 / word_count)::text' });
    await client.query(EDIT);
    expect(await waiting()).to.eql(['api_keys', 'everything']);
  });

  it('causes a rebuild even if it fails for one of many rows only, and queues none of the others', async () => {
    await client.query(`insert into blogs (id, website_id, title, slug, word_count)
      select 'b' || n, 'web_a', 'Title', 's' || n, n from generate_series(1, 3000) as n; delete from content_sync.change_queue`);
    await install({ blogs: `id || (1 / (word_count - 2999))` });
    await client.query(`update blogs set title = 'New' where word_count > 0`);
    expect(await waiting()).to.eql(['everything']);
  });

  it('is handled without a transaction id of its own, however many keys there are', async () => {
    const transactions = async () => {
      const { rows } = await client.query(
        'select count(distinct xmin::text)::int as count from content_sync.change_queue',
      );
      return rows[0];
    };
    await install({ blogs: 'id' });
    await client.query('delete from blogs');
    for (let n = 0; n < 10; n++)
      await client.query(`insert into websites (id, organization_id, name) values ('w${n}', 'org_a', 'W')`);
    await client.query(
      `insert into blogs (id, website_id, title, slug) values ('one', 'web_a', 'One', 'one')`,
    );
    for (let n = 0; n < 10; n++) await client.query(EDIT);
    expect(await transactions()).to.eql({ count: 1 });

    await client.query(`insert into blogs (id, website_id, title, slug)
      select 'b' || n, 'web_a', 'Title', 's' || n from generate_series(1, 3000) as n`);
    expect(await waiting()).to.have.lengthOf(3000 + 23);
    expect(await transactions()).to.eql({ count: 1 });
  });

  for (const [name, code] of Object.entries(OTHER_ERRORS)) {
    it(`fails the write if the error does not concern the key: ${name}`, async () => {
      await install({ blogs: 'public.key_of(id)' });
      await client.query(`create or replace function public.key_of(text) returns text language plpgsql as $$
        begin raise exception using errcode = '${code}', message = 'now'; end $$`);
      const failure = await client.query(EDIT).catch((error: unknown) => error);
      expect(failure).to.include({ code });
    });
  }
});
