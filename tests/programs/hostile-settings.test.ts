import { expect } from 'chai';
import type { Knex } from 'knex';
import type { KeysCommand } from '../../src/adapters/cli/command-line.js';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { manageKeys } from '../../src/programs/keys/manage-keys.js';
import { migrate, migrateDashboard } from '../../src/programs/migrate/migrate.js';
import { catchUp, rebuild } from '../../src/programs/sync/sync-once.js';
import { sendRequest } from '../support/http/send-request.js';
import { makeHostile } from '../support/postgres/hostile-settings.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { addressOf, leads, programsOn } from '../support/programs/running-programs.js';

import { statusOf, syncSettings } from '../support/sync/sync-settings.js';

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

  /** What a command prints, which runs in this process. */
  const printedBy = async (command: (print: (text: string) => void) => Promise<void>) => {
    const printed: string[] = [];
    await command((text) => printed.push(text));
    return printed.join('\n');
  };
  const keys = (command: KeysCommand) => printedBy((print) => manageKeys(command, databases, print));
  const newKey = async (expiresAt: Date | null = null): Promise<{ id: string; key: string }> =>
    JSON.parse(
      await keys({ name: 'keys create', organizationId: 'org', keyName: '', json: true, expiresAt }),
    );
  const get = (key: string, path = '/api/v1/blogs') => sendRequest(address, path, { 'X-API-Key': key });
  const codeFor = async (key: string) => (await get(key)).status;

  it('migrate, sync and serve: revoked and expired keys are refused, times and their order are correct', async () => {
    await migrateDashboard(databases.writeDatabaseUrl, () => {});
    expect(await printedBy((print) => migrate(databases, print))).to.match(/installed \d+ triggers/);
    // This comparison depends on how PostgreSQL prints a trigger.
    expect(await printedBy((print) => migrate(databases, print))).not.to.contain('installed');
    await dashboard.raw(`
      insert into organizations (id, name) values ('org', 'Org');
      insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
      insert into blogs (id, website_id, title, slug, status, published_at)
        select 'blog_' || n, 'web', 'Blog ' || n, 'blog-' || n, 'published', '2026-11-12 13:14:15.123999Z'::timestamptz + n * interval '1 millisecond'
        from generate_series(1, 3) as n`);
    const [kept, revoked] = [await newKey(), await newKey()];
    const expired = await newKey(new Date('2026-01-02T03:04:05Z'));
    await catchUp(syncSettings(databases));
    await leads(run('sync'));
    address = await addressOf(run('api'));

    expect(await codeFor(kept.key)).to.equal(200);
    expect(await codeFor(revoked.key)).to.equal(200);
    expect(await codeFor(expired.key)).to.equal(401);
    await keys({ name: 'keys revoke', id: revoked.id });
    await eventually(async () => expect(await codeFor(revoked.key)).to.equal(401));
    const { data, pagination } = (await get(kept.key)).json();
    expect(pagination).to.include({ total: 3 });
    expect(data.map(({ publishedAt }: { publishedAt: string }) => publishedAt)).to.eql([
      '2026-11-12T13:14:15.126Z',
      '2026-11-12T13:14:15.125Z',
      '2026-11-12T13:14:15.124Z',
    ]);
    expect((await get(kept.key, '/api/v1/blogs?search=blog')).json().pagination.total).to.equal(3);
    expect(await rebuild(syncSettings(databases), () => {})).to.equal(0);
    expect(await codeFor(revoked.key)).to.equal(401);
    expect(await codeFor(expired.key)).to.equal(401);
    expect((await statusOf(databases)).json.rows.apiKeys).to.eql({ dashboard: 3, readTables: 3 });
  });
});
