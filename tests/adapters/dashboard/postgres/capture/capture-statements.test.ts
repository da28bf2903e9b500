import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  changesOf,
  repairCapture,
  startCapturedDashboard,
} from '../../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';

const blog = (id: string) => `('${id}', 'web_a', 'Title', 'slug-of-${id}')`;

/** What each statement queues, in a dashboard with two organizations and the rows below. */
const STATEMENTS: Readonly<Record<string, readonly [sql: string, ...changes: string[]]>> = {
  'an INSERT of one row': [
    `insert into organizations (id, name) values ('org_c', 'C')`,
    'organizations org_c',
  ],
  'an INSERT of many rows': [
    `insert into blogs (id, website_id, title, slug) values ${blog('x')}, ${blog('y')}`,
    'blogs x',
    'blogs y',
  ],
  'an UPDATE of one row': [`update blogs set title = 'New' where id = 'one'`, 'blogs one'],
  'an UPDATE of many rows': [`update tags set name = 'New'`, 'tags red', 'tags sea'],
  'a DELETE of one row': [`delete from api_keys where id = 'key_a'`, 'api_keys key_a'],
  'a DELETE of many rows': [`delete from blogs`, 'blogs one', 'blogs two'],
  'a revocation': [`update api_keys set revoked_at = now() where id = 'key_a'`, 'api_keys key_a'],
  'an edit after the table was altered since an earlier edit in the same session': [
    `update api_keys set revoked_at = now() where id = 'key_a';
     alter table api_keys add column more text, alter column id type varchar(80);
     update api_keys set id = 'key_new' where id = 'key_a'`,
    'api_keys key_a',
    'api_keys key_new',
  ],
  'an edit of a table with columns that are named like variables of the trigger': [
    `alter table api_keys add column captured text, add column key_column text;
     insert into api_keys (id, organization_id, key_hash) values ('key_new', 'org_a', 'other');
     update api_keys set captured = 'api_keys' where id = 'key_a';
     update api_keys set key_hash = 'another' where id = 'key_a';
     delete from api_keys where id = 'key_a'`,
    'api_keys key_a',
    'api_keys key_new',
  ],
  'statements that match no row': [
    `update blogs set title = 'New' where false; delete from tags where false;
     insert into tags select * from tags where false`,
  ],
  'updates of columns that the mapping does not read': [
    `alter table api_keys add column last_used_at timestamptz;
     update api_keys set last_used_at = now(); update blogs set updated_at = now() + interval '1 day'`,
  ],
  'updates that change nothing': [
    `update blogs set title = title, content_html = content_html; update api_keys set revoked_at = null where id = 'key_a';
     update tags set color = color`,
  ],
  'an update that changes one of many rows': [
    `update blogs set title = case id when 'one' then 'New' else title end`,
    'blogs one',
  ],
  'two rows that change places': [
    `update blogs set slug = case id when 'one' then 'aside' else slug end;
     update blogs set slug = case id when 'one' then 'two' else 'one' end, status = status`,
    'blogs one',
    'blogs two',
  ],
  'a text that differs in case and a number in its digits': [
    `update tags set name = upper(name) where id = 'red'; update categories set sort_order = 7 where id = 'food'`,
    'categories food',
    'tags red',
  ],
  'a statement that is only a SELECT': ['select count(*) from blogs'],
  'a key that changes, as the old and the new one': [
    `update api_keys set id = 'key_new' where id = 'key_a'`,
    'api_keys key_a',
    'api_keys key_new',
  ],
  'a new link, as its blog': [`insert into blog_tags values ('two', 'sea')`, 'blogs two'],
  'a deleted link, as its blog': [`delete from blog_categories where blog_id = 'one'`, 'blogs one'],
  'a moved link, as both blogs': [
    `update blog_tags set blog_id = 'two' where blog_id = 'one'`,
    'blogs one',
    'blogs two',
  ],
  'a link that changes to another term, as its blog': [
    `update blog_categories set category_id = 'fruit' where blog_id = 'one'`,
    'blogs one',
  ],
  'a blog that moves to another website': [
    `update blogs set website_id = 'web_b' where id = 'one'`,
    'blogs one',
  ],
  'a website that moves to another organization': [
    `update websites set organization_id = 'org_b' where id = 'web_a'`,
    'websites web_a',
  ],
  'an INSERT that updates an existing row': [
    `insert into blogs (id, website_id, title, slug) values ${blog('x')}, ${blog('one')}
     on conflict (id) do update set title = excluded.title`,
    'blogs one',
    'blogs x',
  ],
  'an INSERT that skips an existing row': [
    `insert into blogs (id, website_id, title, slug) values ${blog('x')}, ${blog('one')} on conflict (id) do nothing`,
    'blogs x',
  ],
  'a MERGE that inserts, updates and deletes': [
    `merge into tags using (values ('red'), ('sea'), ('sky')) as given (id) on tags.id = given.id
     when matched and tags.id = 'red' then delete
     when matched then update set name = 'New'
     when not matched then insert (id, website_id, name, slug) values (given.id, 'web_a', 'Sky', 'sky')`,
    'blogs one',
    'tags red',
    'tags sea',
    'tags sky',
  ],
  'a COPY': [
    `copy tags (id, website_id, name, slug) from program 'echo copied,web_a,Copied,copied' with (format csv)`,
    'tags copied',
  ],
  'a CTE that writes three tables': [
    `with new_blog as (
       insert into blogs (id, website_id, title, slug) values ${blog('x')} returning id
     ), renamed as (
       update categories set name = 'New' where id = 'pets'
     )
     delete from tags where id = 'sea'`,
    'blogs x',
    'categories pets',
    'tags sea',
  ],
  'a CTE that writes one table more than once': [
    `with new_blog as (
       insert into blogs (id, website_id, title, slug) values ${blog('x')}
     ), first as (
       update blogs set title = 'New' where id = 'one'
     ), second as (
       update blogs set title = 'New' where id = 'two'
     )
     insert into blogs (id, website_id, title, slug) values ${blog('y')}`,
    'blogs one',
    'blogs two',
    'blogs x',
    'blogs y',
  ],
  'the writes of a function': [
    `do $$ begin
       update blogs set title = 'New' where id = 'one';
       for n in 1..2 loop
         insert into tags (id, website_id, name, slug) values ('tag_' || n, 'web_a', 'Tag', 'tag-' || n);
       end loop;
     end $$`,
    'blogs one',
    'tags tag_1',
    'tags tag_2',
  ],
  'everything that is deleted with a website': [
    `delete from websites where id = 'web_a'`,
    ...['blogs one', 'blogs two', 'categories food', 'categories fruit', 'categories pets'],
    ...['tags red', 'tags sea', 'websites web_a'],
  ],
  'everything that is deleted with an organization, on all levels': [
    `delete from organizations where id = 'org_a'`,
    ...['api_keys key_a', 'blogs one', 'blogs two', 'categories food', 'categories fruit', 'categories pets'],
    ...['organizations org_a', 'tags red', 'tags sea', 'websites web_a'],
  ],
  'a deleted category, its child and its blogs': [
    `delete from categories where id = 'food'`,
    'blogs one',
    'categories food',
    'categories fruit',
  ],
  'a TRUNCATE, as everything': ['truncate blog_tags', 'everything'],
  'a TRUNCATE of the API keys, as all of them and everything': [
    'truncate api_keys',
    'api_keys',
    'everything',
  ],
  'a TRUNCATE that cascades, as everything': ['truncate tags cascade', 'everything'],
};

describe('The change capture queues', () => {
  let dashboard: DashboardUnderTest;
  let transaction: Knex.Transaction;

  before(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
    await dashboard.putKey({ id: 'key_a' });
    await dashboard.putTerm('categories', { id: 'food' });
    await dashboard.putTerm('categories', { id: 'fruit', parent_id: 'food' });
    await dashboard.putTerm('categories', { id: 'pets' });
    for (const id of ['red', 'sea']) await dashboard.putTerm('tags', { id });
    for (const id of ['one', 'two']) await dashboard.putBlog({ id });
    await dashboard.database.raw(`
      insert into blog_categories values ('one', 'food'), ('two', 'pets'); insert into blog_tags values ('one', 'red')`);
  });
  after(() => dashboard?.stop());

  // Each test is rolled back, so that all of them begin with the same rows.
  beforeEach(async () => {
    transaction = await dashboard.database.transaction();
  });
  afterEach(() => transaction.rollback());

  for (const [what, [sql, ...changes]] of Object.entries(STATEMENTS)) {
    it(`${changes.length === 0 ? 'nothing for ' : ''}${what}`, async () => {
      expect(await changesOf(transaction, () => transaction.raw(sql))).to.eql(changes);
    });
  }

  it('the keys of a bulk statement in their order, whatever the order of the rows, so that they are read together', async () => {
    await transaction.raw(`
      insert into tags (id, website_id, name, slug)
      select 'tag_' || n, 'web_a', 'Tag', 'tag-' || n from generate_series(1, 1000) as n order by md5(n::text)`);
    await transaction.raw('delete from content_sync.change_queue');
    await transaction.raw(`update tags set name = 'New'`);
    const queued = await transaction('content_sync.change_queue').orderBy('id').pluck('key');

    expect(queued).to.have.lengthOf(1002).and.to.eql(queued.toSorted());
  });

  it('each key of a bulk statement once', async () => {
    await transaction.raw(`
      insert into tags (id, website_id, name, slug) select 'tag_' || n, 'web_a', 'Tag', 'tag-' || n from generate_series(1, 1000) as n`);
    const changes = await changesOf(transaction, () => transaction.raw(`update tags set name = 'New'`));

    expect(changes).to.have.length(1002);
    expect(await transaction('content_sync.change_queue').count()).to.eql([{ count: '1002' }]);
  });

  it('each update of a table with row-level security, because a policy may read any column', async () => {
    const { database } = dashboard;
    const update = `update blogs set updated_at = now() + interval '1 day' where id = 'one'`;
    await transaction.rollback();
    try {
      await database.raw('alter table blogs enable row level security');
      await repairCapture(database);
      expect(await changesOf(database, () => database.raw(update))).to.eql(['blogs one']);
    } finally {
      await database.raw('alter table blogs disable row level security');
      await repairCapture(database);
    }
  });
});
