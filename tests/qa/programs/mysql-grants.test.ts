import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { manageKeys } from '../../../src/programs/keys/manage-keys.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { catchUp, rebuild } from '../../../src/programs/sync/sync-once.js';
import { syncStatus } from '../../../src/programs/sync/sync-status.js';
import { makeReferenceSchema, openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { findings } from '../../support/programs/doctor-findings.js';
import { MariaDbServer } from '../support/servers/mariadb-server.js';
import { mariaDbForTests } from '../support/servers/test-mariadb.js';

const WORKER = 'content_sync_worker';
const DATABASE = 'dash_board';
const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`,
  `insert into tags (id, website_id, name, slug) values ('tag', 'web', 'Tag', 'tag')`,
  `insert into blogs (id, website_id, title, slug, status, published_at)
   values ('blog', 'web', 'Title', 'title', 'published', now())`,
  `insert into blog_tags (blog_id, tag_id) values ('blog', 'tag')`,
];

const MAPPING = `
time_zone: UTC
websites: select id, organization_id from websites
blogs: |
  with recent as (select * from live)
  select id, website_id, title, slug, content_html, status, published_at from recent
api_keys: managed
captures:
  websites:
    websites: id
    blogs: select blog_id from notes where website_id = changed.id
  blogs: { blogs: id }
`;

describe('The grants in a MariaDB', () => {
  let server: MariaDbServer;
  let owner: Knex;
  let ownerUrl: string;
  let readDatabaseUrl: string;

  const settingsOf = (user: string) => ({
    writeDatabaseUrl: urlOf(user),
    readDatabaseUrl,
    redisUrls: null,
    redisCacheUrls: null,
    dashboardMapping: null,
    syncPollMs: 10,
    webhooks: [],
    logLevel: 'silent' as const,
    logPretty: false,
  });

  function urlOf(user: string): string {
    const url = new URL(ownerUrl);
    url.username = user;
    url.password = user;
    return url.href;
  }

  /** Returns the findings of the doctor by the names of its checks. */
  async function findingsOf(user: string, settings: object = {}) {
    const asUser = { ...settingsOf(user), ...settings, writeDatabaseUrl: urlOf(user) };
    return new Map((await findings(asUser)).map((finding) => [finding.check, finding]));
  }

  async function newUser(name: string, ...grants: readonly string[]): Promise<void> {
    await owner.raw(`create user ${name} identified by '${name}'`);
    for (const grant of grants) await owner.raw(grant);
  }

  async function printed(job: (print: (text: string) => void) => Promise<void>): Promise<readonly string[]> {
    const lines: string[] = [];
    await job((text) => lines.push(text));
    return lines;
  }

  /** What `migrate --grants` prints. */
  const grantsOf = (dashboardMapping: string | null, user: string) =>
    printed((print) =>
      dashboardOf({ writeDatabaseUrl: ownerUrl, dashboardMapping }).printGrants(print, user),
    );

  before(async function () {
    server = await MariaDbServer.start(await mariaDbForTests(this));
    ownerUrl = await server.createDatabase(DATABASE);
    await makeReferenceSchema(ownerUrl);
    owner = openMysqlDashboard(ownerUrl);
    readDatabaseUrl = await createTestDatabase();
    await migrate({ writeDatabaseUrl: ownerUrl, readDatabaseUrl, dashboardMapping: null }, () => {});
    for (const statement of CONTENT) await owner.raw(statement);
    await newUser(WORKER, ...(await grantsOf(null, WORKER)));
  });

  after(async () => {
    await owner?.destroy();
    await server?.stop();
  });

  it('let the worker fill empty read tables, apply edits, rebuild, and report its status', async () => {
    const settings = settingsOf(WORKER);
    await catchUp(settings);
    await owner.raw(`update blogs set title = 'Edited'`);
    await owner.raw('delete from tags');
    await catchUp(settings);
    expect(await rebuild(settings, () => {})).to.equal(0);
    const [report = ''] = await printed((print) => syncStatus(settings, { json: true }, print));
    expect(JSON.parse(report)).to.have.property('unshown').that.eql([]);
  });

  it('let the doctor check everything, and find nothing wrong', async () => {
    const findings = [...(await findingsOf(WORKER)).values()];
    const checked = findings.filter(({ check }) => /^(dashboard|mapping|changeCapture|syncLag)/.test(check));
    expect(checked).to.have.length(7);
    expect(checked.filter(({ outcome }) => outcome !== 'ok')).to.eql([]);
  });

  /** What the doctor finds of a check while the worker lacks a right. */
  async function findingWithout(right: string, check: string) {
    await owner.raw(`revoke ${right} from ${WORKER}`);
    try {
      return (await findingsOf(WORKER)).get(check);
    } finally {
      await owner.raw(`grant ${right} to ${WORKER}`);
    }
  }

  it('if one is lost, are what the doctor advises, with the name of the variable', async () => {
    for (const [right, check] of [
      [`select on ${DATABASE}.content_sync_identity`, 'dashboard'],
      [`execute on procedure ${DATABASE}.content_sync_facts`, 'changeCapture'],
      [`select on ${DATABASE}.content_sync_changes`, 'syncLag'],
    ] as const) {
      const finding = await findingWithout(right, check);
      expect(finding?.message, check).to.match(/^WRITE_DATABASE_URL: ER_\w+_DENIED_ERROR: /);
      expect(finding?.message.match(/WRITE_DATABASE_URL/g), check).to.have.length(1);
      expect(finding?.advice, check).to.match(/^grant .* `npm run -s migrate -- --grants` prints/);
    }
    const hidden = await findingWithout(`select on ${DATABASE}.tags`, 'dashboard');
    expect(hidden?.message).to.match(/has no table tags, or its user may not see it/);
    expect(hidden?.advice).to.match(/if the tables exist, grant .* `npm run -s migrate -- --grants` prints/);
  });

  it('if one is lost for a view of the mapping, are no mistake of the mapping', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mapping-'));
    const dashboardMapping = join(folder, 'mapping.yaml');
    await owner.raw('create view shown as select * from blogs');
    await writeFile(
      dashboardMapping,
      `websites: select id, organization_id from websites
blogs: select id, website_id, title, slug, content_html, status, published_at from shown
api_keys: select id, organization_id, key_hash, expires_at, revoked_at from api_keys
captures: { websites: { websites: id }, blogs: { blogs: id }, api_keys: { api_keys: id } }
time_zone: UTC`,
    );
    const finding = (await findingsOf(WORKER, { dashboardMapping })).get('mapping');
    await owner.raw('drop view shown');
    await rm(folder, { recursive: true });
    expect(finding?.message).to.match(/^WRITE_DATABASE_URL: blogs: the select fails: SELECT.* denied/);
    expect(finding?.advice).to.match(/^grant .* `npm run -s migrate -- --grants` prints/);
  });

  it('let the worker change nothing in the dashboard, create no keys, and read only its tables', async () => {
    await owner.raw('create table if not exists invoices (id int primary key)');
    const worker = openMysqlDashboard(urlOf(WORKER));
    for (const statement of [
      `update blogs set title = 'x'`,
      'delete from blogs',
      'truncate blogs',
      'select * from invoices',
      'drop table content_sync_changes',
      'create table own (id int)',
      `update content_sync_identity set identity = 'x'`,
      'drop procedure content_sync_facts',
    ]) {
      const failure = await worker.raw(statement).catch((error: { code: string }) => error.code);
      expect(failure, statement).to.match(/DENIED/);
    }
    await worker.destroy();
    const command = {
      name: 'keys create',
      organizationId: 'org',
      keyName: 'A',
      expiresAt: null,
      json: true,
    } as const;
    const failure = await manageKeys(command, settingsOf(WORKER), () => {}).catch(String);
    expect(failure).to.match(/INSERT command denied/);
  });

  it('of a mapping are printed by `migrate --grants`, and are sufficient, also for its views and the tables of its keys', async () => {
    await owner.raw(`create view live as select * from blogs where status = 'published'`);
    await owner.raw('create table notes (blog_id varchar(255), website_id varchar(255), key (website_id))');
    const folder = await mkdtemp(join(tmpdir(), 'mapping-'));
    const dashboardMapping = join(folder, 'mapping.yaml');
    await writeFile(dashboardMapping, MAPPING);
    const mapped = {
      writeDatabaseUrl: ownerUrl,
      readDatabaseUrl: await createTestDatabase(),
      dashboardMapping,
    };
    const as = (user: string) => ({ ...settingsOf(user), ...mapped, writeDatabaseUrl: urlOf(user) });
    await migrate(mapped, () => {});
    const grants = await grantsOf(dashboardMapping, 'sync_worker@%');
    await newUser('sync_worker');
    await newUser(
      'key_keeper',
      'grant select on websites to key_keeper',
      'grant select, insert, update on content_keys_api_keys to key_keeper',
    );
    for (const statement of grants) await owner.raw(statement);
    const organizationId = 'org';
    const options = { organizationId, json: true } as const;
    const keeper = as('key_keeper');

    const create = { ...options, name: 'keys create', keyName: 'A', expiresAt: null } as const;
    const [made = ''] = await printed((print) => manageKeys(create, keeper, print));
    await manageKeys({ ...options, name: 'keys revoke', id: JSON.parse(made).id }, keeper, () => {});
    const [listed = ''] = await printed((print) =>
      manageKeys({ ...options, name: 'keys list' }, keeper, print),
    );
    await catchUp(as('sync_worker'));
    await owner.raw(`update websites set name = 'Noted'`);
    await catchUp(as('sync_worker'));
    const findings = await findingsOf('sync_worker', mapped);
    await rm(folder, { recursive: true });

    expect(grants.join()).not.to.contain('recent');
    expect(listed).to.match(/"revokedAt":"\d/);
    expect(findings.get('mappingInFull')).to.include({ outcome: 'ok' });
  });
});
