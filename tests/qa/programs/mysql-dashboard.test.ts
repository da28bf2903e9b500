import { expect } from 'chai';
import type { Knex } from 'knex';
import { openReadDatabase } from '../../../src/adapters/postgres/read/read-database.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { runProgram } from '../../support/programs/program.js';
import { addressOf, environmentOf, leads, programsOn } from '../../support/programs/running-programs.js';
import { createTestMariaDbDatabase } from '../support/servers/test-mariadb.js';

const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`,
  `insert into categories (id, website_id, name, slug) values ('cat', 'web', 'News', 'news')`,
  `insert into blogs (id, website_id, title, slug, content_html, status, published_at)
   values ('blog', 'web', 'Été à la mer', 'ete', '<p>🌊</p>', 'published', '2024-05-06 07:08:09.123456')`,
  `insert into blog_categories (blog_id, category_id) values ('blog', 'cat')`,
];

/** Runs the programs as a team does that has its dashboard in a MariaDB. */
describe('With a dashboard in a MariaDB,', () => {
  let databases: { readonly writeDatabaseUrl: string; readonly readDatabaseUrl: string };
  let dashboard: Knex;
  const start = programsOn(() => databases);
  const run = async (...args: readonly string[]) => {
    const { code, output } = await runProgram(args, environmentOf(databases));
    expect(code, output).to.equal(0);
    return output;
  };

  before(async function () {
    const writeDatabaseUrl = await createTestMariaDbDatabase(this);
    databases = { writeDatabaseUrl, readDatabaseUrl: await createTestDatabase() };
    dashboard = openMysqlDashboard(writeDatabaseUrl);
    expect(await run('dashboard:migrate')).to.include('Reference dashboard schema: up to date.');
    expect(await run('migrate')).to.match(/Change capture: installed \d+ triggers/);
    for (const statement of CONTENT) await dashboard.raw(statement);
  });

  after(async () => {
    await dashboard?.destroy();
  });

  it('a second run of each migration finds everything in place', async () => {
    expect(await run('dashboard:migrate')).to.include('Reference dashboard schema: up to date.');
    expect(await run('migrate')).to.include('Change capture: up to date.');
  });

  it('the API shows its blogs and each edit, until the key is revoked', async () => {
    const { id, key } = JSON.parse(
      await run('keys', 'create', '--organization', 'org', '--name', 'test', '--json'),
    );
    await leads(start('sync'));
    const address = await addressOf(start('api'));
    const get = (path: string) => sendRequest(address, path, { 'X-API-Key': key });
    await eventually(async () => expect((await get('/api/v1/blogs/blog')).status).to.equal(200));
    const { data } = (await get('/api/v1/blogs/blog')).json();
    expect(data).to.include({
      title: 'Été à la mer',
      contentHtml: '<p>🌊</p>',
      publishedAt: '2024-05-06T07:08:09.123Z',
    });
    expect(data.categories.map(({ slug }: { slug: string }) => slug)).to.deep.equal(['news']);
    await dashboard('blogs').where({ id: 'blog' }).update({ title: 'edited' });
    await eventually(async () =>
      expect((await get('/api/v1/blogs/blog')).json().data.title).to.equal('edited'),
    );
    await dashboard('websites').where({ id: 'web' }).update({ name: 'edited' });
    await run('keys', 'revoke', '--id', id);
    await eventually(async () => expect((await get('/api/v1/blogs/blog')).status).to.equal(401));
  });

  it('the doctor finds nothing broken, and `sync --status` reports the dashboard', async () => {
    await run('sync', '--once');
    const { output } = await runProgram(['doctor'], environmentOf(databases));
    expect(output).to.match(/MariaDB [\d.]+ answers/);
    expect(output).to.match(/changeCapture +all triggers are installed/);
    expect(output).to.match(/mappingInFull.*fits the tables/);
    expect(await run('sync', '--status')).to.match(/blogs/);
  });

  it('the doctor reports a missing column that the mapping reads', async () => {
    await dashboard.raw('alter table blogs rename column slug to address');

    const { output } = await runProgram(['doctor'], environmentOf(databases));

    await dashboard.raw('alter table blogs rename column address to slug');
    expect(output).to.match(/mapping.*slug/);
  });

  it('a blog whose id contains NUL is not shown, and does not hold back others', async () => {
    const columns = '(id, website_id, title, slug, content_html, status, published_at)';
    const values = (id: string, slug: string) => `('${id}', 'web', 'T', '${slug}', '', 'published', now())`;
    await dashboard.raw(
      `insert into blogs ${columns} values ${values('n\\0ul', 'nul')}, ${values('after-nul', 'after')}`,
    );
    await run('sync', '--once');
    const status = await run('sync', '--status');
    expect(status).to.match(/id contains the character NUL/);
    await run('sync', '--rebuild');
    await dashboard.raw(`delete from blogs where slug = 'nul'`);
    await run('sync', '--once');
    expect(await run('sync', '--status')).not.to.match(/NUL/);
  });

  it('references that differ from an id in case only are those of the id', async () => {
    const [keys] = await dashboard.raw(
      'select table_name as t, constraint_name as name from information_schema.referential_constraints where constraint_schema = database()',
    );
    for (const { t, name } of keys) await dashboard.raw(`alter table ${t} drop foreign key ${name}`);
    for (const table of ['websites', 'categories', 'blogs', 'blog_categories']) {
      await dashboard.raw(`alter table ${table} convert to character set utf8mb4 collate utf8mb4_general_ci`);
    }
    await dashboard.raw(
      `insert into blogs (id, website_id, title, slug, content_html, status, published_at)
       values ('cased', 'WEB', 'T', 'cased', '', 'published', now())`,
    );
    await dashboard.raw(`insert into blog_categories (blog_id, category_id) values ('CASED', 'CAT')`);
    await run('migrate');
    await run('sync', '--once');
    const read = openReadDatabase(databases.readDatabaseUrl);
    const shown = await read('content_read.blogs').where({ id: 'cased' }).first();
    await read.destroy();
    expect(shown).to.include({ website_id: 'web' });
    expect(JSON.stringify(shown.categories)).to.include('news');
  });

  it('`migrate --remove-capture` leaves only what identifies the database, so that the sync goes on', async () => {
    await run('migrate', '--remove-capture');
    const [triggers] = await dashboard.raw(`show triggers like '%'`);
    expect(triggers).to.deep.equal([]);
    const [tables] = await dashboard.raw(`show tables like 'content\\_sync\\_%'`);
    expect(tables.flatMap(Object.values)).to.deep.equal(['content_sync_identity']);
    await run('migrate');
    await run('sync', '--once');
  });
});
