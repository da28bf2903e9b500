import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { dashboardOf } from '../../../../src/composition/dashboard-of.js';
import { manageKeys } from '../../../../src/programs/keys/manage-keys.js';
import { migrate } from '../../../../src/programs/migrate/migrate.js';
import { openMysqlDashboard } from '../../../support/dashboards/mysql-dashboard.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { createTestMariaDbDatabase } from '../../support/servers/test-mariadb.js';

const MAPPING = `
time_zone: America/Los_Angeles
websites: select 1 as id, 'acme' as organization_id
blogs: select id, 1 as website_id, title, slug, body as content_html, 'published' as status, published_at from posts
api_keys: managed
captures:
  posts: { blogs: id }
`;

describe('A dashboard with a mapping in a MariaDB', () => {
  let settings: {
    readonly writeDatabaseUrl: string;
    readonly readDatabaseUrl: string;
    readonly dashboardMapping: string;
  };
  let folder: string;
  let dashboard: Knex;
  const printed = async (job: (print: (text: string) => void) => Promise<void>) => {
    const lines: string[] = [];
    await job((text) => lines.push(text));
    return lines.join('\n');
  };
  const tables = async () => {
    const [rows] = await dashboard.raw(
      'select table_name as name from information_schema.tables where table_schema = database() order by 1',
    );
    return (rows as { name: string }[]).map(({ name }) => name);
  };

  before(async function () {
    const writeDatabaseUrl = await createTestMariaDbDatabase(this);
    folder = await mkdtemp(join(tmpdir(), 'mapping-'));
    settings = {
      writeDatabaseUrl,
      readDatabaseUrl: await createTestDatabase(),
      dashboardMapping: join(folder, 'mapping.yaml'),
    };
    await writeFile(settings.dashboardMapping, MAPPING);
    dashboard = openMysqlDashboard(writeDatabaseUrl);
    await dashboard.raw(
      'create table posts (id int primary key, title varchar(50) not null, slug varchar(50) not null, body text, published_at datetime)',
    );
  });

  after(async () => {
    await dashboard?.destroy();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  it('is not changed by an explanation of what migrate would create', async () => {
    const explained = await printed((print) => dashboardOf(settings).explain(print));
    expect(explained).to.contain('create table if not exists content_keys_api_keys');
    expect(explained).to.match(/create trigger .* on `posts`/);
    expect(explained).to.contain('create procedure content_sync_facts()');
    expect(explained).to.match(/create trigger .* on `content_keys_api_keys`/);
    expect(await tables()).to.deep.equal(['posts']);
  });

  it('gets no explanation if the mapping does not fit it', async () => {
    const dashboardMapping = join(folder, 'misspelled.yaml');
    await writeFile(dashboardMapping, MAPPING.replace('slug,', 'slugs as slug,'));
    const refusal = await dashboardOf({ ...settings, dashboardMapping })
      .explain(() => {})
      .catch(String);
    expect(refusal).to.match(/blogs: the select fails: .*slugs/);
  });

  it('has keys that this project manages and that outlive the change capture', async () => {
    await migrate(settings, () => {});
    const keys = { organizationId: 'acme', json: true } as const;
    const list = () => printed((print) => manageKeys({ ...keys, name: 'keys list' }, settings, print));
    await manageKeys({ ...keys, name: 'keys create', keyName: 'A', expiresAt: null }, settings, () => {});
    const before = await list();
    expect(before).to.contain('"A"');

    await dashboardOf(settings).removeCapture(() => {});
    expect(await tables()).to.deep.equal(['content_keys_api_keys', 'content_sync_identity', 'posts']);
    await migrate(settings, () => {});
    expect(await list()).to.equal(before);
    const [noted] = await dashboard.raw(`show triggers where \`Table\` = 'content_keys_api_keys'`);
    expect(noted).to.have.length(3);
  });

  it('has managed keys that expire when they were told to, whatever the time zone of the dashboard', async () => {
    const expiresAt = new Date('2030-01-02T03:04:05Z');
    await manageKeys(
      { name: 'keys create', organizationId: 'acme', json: true, keyName: 'B', expiresAt },
      settings,
      () => {},
    );
    const connection = dashboardOf(settings).connect('test');
    try {
      const ids = await connection.source.keys('apiKeys', { kind: 'apiKeys' }, null, 10);
      const { rows } = await connection.source.read('apiKeys', ids);
      expect(rows.map((key) => key.expiresAt)).to.have.members([null, expiresAt.getTime()]);
    } finally {
      await connection.close();
    }
  });

  it('reports that the change capture belongs to another mapping, even if its triggers are the same', async () => {
    await migrate(settings, () => {});
    const dashboardMapping = join(folder, 'other.yaml');
    await writeFile(dashboardMapping, MAPPING.replace("'acme' as", "'other' as"));
    const other = { ...settings, dashboardMapping };
    const broken = async (of: typeof settings) => {
      const connection = dashboardOf(of).connect('test');
      return (await connection.captureState().finally(() => connection.close())).broken;
    };
    const otherMapping = ['it was installed for another mapping than that of DASHBOARD_MAPPING'];
    expect([await broken(settings), await broken(other)]).to.eql([[], otherMapping]);
    await dashboard.raw('delete from content_sync_changes');

    expect(await printed((print) => migrate(other, print))).to.contain('installed its mapping');
    expect([await broken(settings), await broken(other)]).to.eql([otherMapping, []]);
    const [noted] = await dashboard.raw('select kind from content_sync_changes');
    expect(noted).to.eql([{ kind: 'everything' }]);
    expect(await printed((print) => migrate(other, print))).to.contain('Change capture: up to date.');
  });
});
