import { expect } from 'chai';
import pg from 'pg';
import { PrometheusMetrics } from '../../src/adapters/operations/prometheus-metrics.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { catchUp, rebuild } from '../../src/programs/sync/sync-once.js';
import { SyncProgram } from '../../src/programs/sync/sync-program.js';
import type { Tenant } from '../support/dashboards/dashboard.js';
import { DASHBOARD_TABLES } from '../support/dashboards/dashboard-under-test.js';
import { sendRequest } from '../support/http/send-request.js';
import { askOperators } from '../support/programs/ask-operators.js';
import { RunningProgram } from '../support/programs/program.js';
import { adminAddressOf } from '../support/programs/running-programs.js';
import { statusOf, syncSettings } from '../support/sync/sync-settings.js';
import { GrantedRoles, refusedTo } from './granted-roles.js';

const READ_TABLES = ['organizations', 'api_keys', 'categories', 'tags', 'blogs'];
const SYNC_TABLES = ['sync_leader', 'sync_jobs', 'unshown_rows', 'known_databases'];

/** Every way to write to a table. */
function writes(table: string): string[] {
  return [
    `insert into ${table} default values`,
    `delete from ${table} where false`,
    `truncate ${table}`,
    `alter table ${table} add column more text`,
  ];
}

describe('The grants', () => {
  let granted: GrantedRoles;
  let tenant: Tenant;

  const settings = () =>
    syncSettings({
      writeDatabaseUrl: granted.sync.urlOf(granted.dashboard.writeDatabaseUrl),
      readDatabaseUrl: granted.sync.urlOf(granted.dashboard.readDatabaseUrl),
    });
  const titles = () => granted.readOwner('content_read.blogs').orderBy('id').pluck('title');

  before(async () => {
    granted = await GrantedRoles.create(2);
    tenant = granted.dashboard.tenant();
  });
  after(() => granted?.drop());

  it('let the worker fill empty read tables and report its status', async () => {
    await granted.readOwner.raw(`truncate content_read.blogs, content_read.api_keys;
      delete from content_read.sync_jobs; insert into content_read.sync_jobs (scope) values ('everything'), ('reconcile')`);
    await catchUp(settings());
    expect(await titles()).to.eql(['First title', 'First title']);
    expect((await statusOf(settings())).json)
      .to.have.property('unshown')
      .that.eql([]);
  });

  it('let the worker apply edits, revocations, fan-outs, a TRUNCATE and rows that cannot be shown', async () => {
    await granted.writeOwner.raw(`
      insert into categories (id, website_id, name, slug) select 'cat', website_id, 'Cat', 'cat' from blogs limit 1;
      insert into blog_categories select id, 'cat' from blogs where website_id = (select website_id from categories);
      alter table tags drop constraint tags_color_check;
      insert into tags (id, website_id, name, slug, color) select 'tag', website_id, 'Tag', 'tag', 'none' from categories`);
    await granted.dashboard.rename(tenant, 'Second title');
    await granted.dashboard.revokeKeyOf(tenant);
    await catchUp(settings());
    expect(await titles()).to.include('Second title');
    expect(await granted.readOwner('content_read.api_keys').whereNotNull('revoked_at').pluck('id')).to.eql([
      tenant.keyId,
    ]);
    expect(await granted.readOwner('content_read.unshown_rows').pluck('id')).to.eql(['tag']);

    await granted.writeOwner.raw(
      `update categories set name = 'Dog'; update tags set color = '#888888'; truncate blog_categories`,
    );
    await catchUp(settings());
    expect(await granted.readOwner('content_read.unshown_rows').pluck('id')).to.eql([]);
    expect(await granted.readOwner('content_read.categories').pluck('name')).to.eql(['Dog']);
    expect(await granted.writeOwner('content_sync.change_queue').pluck('id')).to.eql([]);
  });

  it('let the worker rebuild', async () => {
    await granted.readOwner.raw(`update content_read.blogs set title = 'Wrong'`);

    expect(await rebuild(settings(), () => {})).to.equal(2);
    expect(await titles()).not.to.include('Wrong');
  });

  it('let a worker take over from a frozen one of its role', async () => {
    const frozen = new pg.Client(granted.sync.urlOf(granted.dashboard.readDatabaseUrl));
    const ended = new Promise((resolve) => frozen.once('end', resolve));
    frozen.on('error', () => {});
    await frozen.connect();
    const { rows } = await frozen.query(
      `select pg_advisory_lock(hashtextextended('content_read.sync_leader', 0)), pg_backend_pid() as pid`,
    );
    await granted.readOwner.raw(
      `update content_read.sync_leader set backend_pid = ?, beat_at = now() - interval '1 minute', since = now() - interval '1 minute'`,
      [rows[0].pid],
    );
    const worker = new SyncProgram(settings(), new PrometheusMetrics());
    await worker.start();
    try {
      await granted.dashboard.rename(tenant, 'Third title');
      await eventually(async () => expect(await titles()).to.include('Third title'));
      await ended;
    } finally {
      await worker.stop();
    }
  });

  it('keep rows that row-level security hides from the worker: the worker stops instead', async () => {
    await granted.writeOwner.raw(
      `alter table blogs enable row level security; update blogs set title = 'Hidden'`,
    );
    const failure = await catchUp(settings()).catch((error: unknown) => error);
    expect(String(failure)).to.contain('The remaining jobs fail');
    const errors = await granted.readOwner('content_read.sync_jobs').pluck('last_error');
    expect(errors.join()).to.contain('row-level security policy for table "blogs"');
    expect(await titles()).to.have.length(2);

    await granted.writeOwner.raw(`alter role ${granted.sync.name} bypassrls`);
    await catchUp(settings());
    expect(await titles()).to.eql(['Hidden', 'Hidden']);
    await granted.writeOwner.raw(
      `alter table blogs disable row level security; alter role ${granted.sync.name} nobypassrls`,
    );
  });

  it('let the API serve', async () => {
    const other = granted.dashboard.tenant();
    const READ_DATABASE_URL = granted.api.urlOf(granted.dashboard.readDatabaseUrl);
    const program = new RunningProgram(['api'], { READ_DATABASE_URL, PORT: '0', HOST: '127.0.0.1' });
    try {
      const address = await program.printed(/"address":"([^"]+)"/);
      for (const path of ['blogs', `blogs/${other.blogId}`, 'categories', 'tags']) {
        const { status } = await sendRequest(address, `/api/v1/${path}`, { 'X-API-Key': other.key });
        expect(status, path).to.equal(200);
      }
      const { status } = await sendRequest(address, '/api/v1/blogs', { 'X-API-Key': tenant.key });
      expect(status).to.equal(401);
      const adminAddress = await adminAddressOf(program);
      expect(JSON.parse((await askOperators(adminAddress, '/readyz')).text).status).to.equal('ready');
    } finally {
      await program.end('SIGTERM');
    }
  });

  it('let the worker write nothing in the dashboard, and read only its tables', async () => {
    await granted.writeOwner.raw('create table if not exists public.invoices (id text)');
    const statements = [
      ...DASHBOARD_TABLES.flatMap((table) => writes(`public.${table}`)),
      'select * from public.invoices',
      'select * from content_sync.migrations',
      `update content_sync.change_queue set kind = 'blogs'`,
      'truncate content_sync.change_queue',
      'create table content_sync.own ()',
    ];

    expect(await refusedTo(granted.sync, granted.dashboard.writeDatabaseUrl, statements)).to.eql(statements);
  });

  it('let the API write nothing, and read nothing of the worker but its beat', async () => {
    const statements = [
      ...READ_TABLES.flatMap((table) => writes(`content_read.${table}`)),
      // The API reads the leader's beat.
      ...SYNC_TABLES.flatMap((table) => [
        ...(table === 'sync_leader' ? [] : [`select * from content_read.${table}`]),
        ...writes(`content_read.${table}`),
      ]),
      'create table content_read.own ()',
      'select * from content_read_migrations.read_tables',
    ];

    expect(await refusedTo(granted.api, granted.dashboard.readDatabaseUrl, statements)).to.eql(statements);
  });

  it('let the worker delete no organization, and create or empty no read table', async () => {
    const statements = [
      'delete from content_read.organizations',
      'delete from content_read.sync_leader',
      'delete from content_read.known_databases',
      ...[...READ_TABLES, ...SYNC_TABLES].map((table) => `truncate content_read.${table}`),
      'create table content_read.own ()',
    ];

    expect(await refusedTo(granted.sync, granted.dashboard.readDatabaseUrl, statements)).to.eql(statements);
  });
});
