import { expect } from 'chai';
import type { Knex } from 'knex';
import { changesOf, startCapturedDashboard } from '../../../../support/dashboards/captured-changes.js';
import {
  CAPTURED_ROWS,
  CAPTURED_STATEMENTS,
  type CapturedStatements,
} from '../../../../support/dashboards/captured-statements.js';
import type { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';

const blog = (id: string) => `('${id}', 'web_a', 'Title', 'slug-of-${id}')`;

/** What only PostgreSQL has. */
const STATEMENTS: CapturedStatements = {
  'two rows that change places': [
    `update blogs set slug = case id when 'one' then 'aside' else slug end;
     update blogs set slug = case id when 'one' then 'two' else 'one' end, status = status`,
    'blogs one',
    'blogs two',
  ],
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
    for (const statement of CAPTURED_ROWS) await dashboard.database.raw(statement);
  });
  after(() => dashboard?.stop());

  // Each test is rolled back, so that all of them begin with the same rows.
  beforeEach(async () => {
    transaction = await dashboard.database.transaction();
  });
  afterEach(() => transaction.rollback());

  for (const [what, [sql, ...changes]] of Object.entries({ ...CAPTURED_STATEMENTS, ...STATEMENTS })) {
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
});
