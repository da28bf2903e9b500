import { expect } from 'chai';
import type { Knex } from 'knex';
import { eventually } from '../../src/contracts/support/eventually.js';
import { openMysqlDashboard } from '../support/dashboards/mysql-dashboard.js';
import { sendRequest } from '../support/http/send-request.js';
import { createTestMariaDbDatabase, mariaDbForTests } from '../support/mariadb/test-mariadb.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { runProgram } from '../support/programs/program.js';
import { addressOf, environmentOf, leads, programsOn } from '../support/programs/running-programs.js';

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
    const writeDatabaseUrl = await createTestMariaDbDatabase(await mariaDbForTests(this));
    databases = { writeDatabaseUrl, readDatabaseUrl: await createTestDatabase() };
    dashboard = openMysqlDashboard(writeDatabaseUrl);
    expect(await run('dashboard:migrate')).to.include('Reference dashboard schema: created 8 tables.');
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
    expect(output).to.match(/change capture.*all triggers are installed/s);
    expect(output).to.match(/dashboard: mapping.*fits the tables/);
    expect(await run('sync', '--status')).to.match(/blogs/);
  });

  it('the doctor reports a missing column that the mapping reads', async () => {
    await dashboard.raw('alter table blogs rename column slug to address');

    const { output } = await runProgram(['doctor'], environmentOf(databases));

    await dashboard.raw('alter table blogs rename column address to slug');
    expect(output).to.match(/dashboard: mapping.*slug/);
  });

  it('`migrate --remove-capture` leaves nothing of the change capture behind', async () => {
    await run('migrate', '--remove-capture');
    const [triggers] = await dashboard.raw(`show triggers like '%'`);
    expect(triggers).to.deep.equal([]);
    const [tables] = await dashboard.raw(`show tables like 'content\\_sync\\_%'`);
    expect(tables).to.deep.equal([]);
    await run('migrate');
  });
});
