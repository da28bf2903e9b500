import { expect } from 'chai';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../src/adapters/postgres/connection/open-database.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { sendRequest } from '../support/http/send-request.js';
import { makeHostile } from '../support/postgres/hostile-settings.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { runProgram } from '../support/programs/program.js';
import { addressOf, environmentOf, leads, programsOn } from '../support/programs/running-programs.js';

/** These settings apply from the first migration on. */
describe('The programs, with the worst of each setting of both databases,', () => {
  const databases = { writeDatabaseUrl: '', readDatabaseUrl: '' };
  const run = programsOn(() => databases);
  let dashboard: Knex;
  let address: string;

  before(async () => {
    databases.writeDatabaseUrl = await createTestDatabase();
    databases.readDatabaseUrl = await createTestDatabase();
    for (const url of Object.values(databases)) {
      const owner = openDashboardDatabase(url);
      await makeHostile(owner);
      await owner.destroy();
    }
    dashboard = openDashboardDatabase(databases.writeDatabaseUrl);
  });
  after(() => dashboard?.destroy());

  const command = async (...args: readonly string[]) => {
    const { code, output } = await runProgram(args, environmentOf(databases));
    expect(code, output).to.equal(0);
    return output;
  };
  const newKey = async (...more: readonly string[]): Promise<{ id: string; key: string }> =>
    JSON.parse(await command('keys', 'create', '--organization', 'org', '--json', ...more));
  const get = (key: string, path = '/api/v1/blogs') => sendRequest(address, path, { 'X-API-Key': key });
  const statusOf = async (key: string) => (await get(key)).status;

  it('migrate, sync and serve: revoked and expired keys are refused, times and their order are correct', async () => {
    await command('dashboard:migrate');
    expect(await command('migrate')).to.match(/installed \d+ triggers/);
    // This comparison depends on how PostgreSQL prints a trigger.
    expect(await command('migrate')).not.to.contain('installed');
    await dashboard.raw(`
      insert into organizations (id, name) values ('org', 'Org');
      insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
      insert into blogs (id, website_id, title, slug, status, published_at)
        select 'blog_' || n, 'web', 'Blog ' || n, 'blog-' || n, 'published', '2026-11-12 13:14:15.123999Z'::timestamptz + n * interval '1 millisecond'
        from generate_series(1, 3) as n`);
    const [kept, revoked] = [await newKey(), await newKey()];
    const expired = await newKey('--expires', '2026-01-02T03:04:05Z');
    await command('sync', '--once');
    await leads(run('sync'));
    address = await addressOf(run('api'));

    expect(await statusOf(kept.key)).to.equal(200);
    expect(await statusOf(revoked.key)).to.equal(200);
    expect(await statusOf(expired.key)).to.equal(401);
    await command('keys', 'revoke', '--id', revoked.id);
    await eventually(async () => expect(await statusOf(revoked.key)).to.equal(401));
    const { data, pagination } = (await get(kept.key)).json();
    expect(pagination).to.include({ total: 3 });
    expect(data.map(({ publishedAt }: { publishedAt: string }) => publishedAt)).to.eql([
      '2026-11-12T13:14:15.126Z',
      '2026-11-12T13:14:15.125Z',
      '2026-11-12T13:14:15.124Z',
    ]);
    expect((await get(kept.key, '/api/v1/blogs?search=blog')).json().pagination.total).to.equal(3);
    expect(await command('sync', '--rebuild')).to.contain('Nothing had changed');
    expect(await statusOf(revoked.key)).to.equal(401);
    expect(await statusOf(expired.key)).to.equal(401);
    const status = JSON.parse(await command('sync', '--status', '--json'));
    expect(status.rows.apiKeys).to.eql({ dashboard: 3, readTables: 3 });
  });
});
