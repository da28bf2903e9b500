import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { complaints } from '../../support/programs/doctor-findings.js';
import { RunningProgram } from '../../support/programs/program.js';
import { adminAddressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { statusOf } from '../../support/sync/sync-settings.js';
import { GrantedRoles } from '../granted-roles.js';

describe('A sync worker whose sessions fail, because another session locks a read table,', () => {
  let granted: GrantedRoles;
  let urls: { readDatabaseUrl: string; writeDatabaseUrl: string };
  let admin: string;
  let locker: pg.Client;
  let worker: RunningProgram;

  before(async () => {
    granted = await GrantedRoles.create(1);
    const { dashboard, sync } = granted;
    urls = {
      readDatabaseUrl: sync.urlOf(dashboard.readDatabaseUrl),
      writeDatabaseUrl: sync.urlOf(dashboard.writeDatabaseUrl),
    };
    worker = new RunningProgram(['sync'], environmentOf(urls));
    admin = await adminAddressOf(await leads(worker));
  });
  after(async () => {
    await worker?.end('SIGKILL');
    await granted?.drop();
  });

  beforeEach(async () => {
    const { readDatabaseUrl } = granted.dashboard;
    locker = new pg.Client({ connectionString: readDatabaseUrl, application_name: 'a report' });
    await locker.connect();
  });
  afterEach(() => locker?.end());

  const syncing = async () => JSON.parse((await askOperators(admin, '/readyz')).text).checks.syncing;
  const pid = async () => (await locker.query('select pg_backend_pid() as pid')).rows[0].pid;
  const lines = (text: string) => worker.output.split('\n').filter((line) => line.includes(text));

  const status = () => statusOf(urls);

  it('is degraded with the reason, is counted, and names that session, until the lock ends', async () => {
    await locker.query('begin; lock table content_read.api_keys in exclusive mode');
    await granted.dashboard.revokeKeyOf(granted.dashboard.tenant());
    await eventually(async () => {
      const { status: found, reason } = await syncing();
      expect(found).to.equal('degraded');
      expect(reason).to.match(
        /^changes wait: the last \d+ sessions failed: 55P03: canceling statement due to lock timeout$/,
      );
    });
    const { text } = await askOperators(admin, '/metrics');
    expect(sampleOf(text, 'blog_read_api_sync_session_failures_total')).to.be.at.least(2);

    const blocked = `session ${await pid()} \\(.*application a report.*\\), locks content_read\\.api_keys`;
    const { json } = await status();
    expect(json.lastLeader.epoch).to.be.above(1);
    expect(json.blocking).to.have.length(1);
    expect(json.blocking[0]).to.deep.include({ pid: await pid(), tables: ['content_read.api_keys'] });
    const found = await complaints({ ...urls, redisUrls: null, redisCacheUrls: null });
    expect(found.join('\n')).to.match(new RegExp(`^warning sync locks: ${blocked}$`, 'm'));

    await locker.query('rollback');
    await eventually(async () => expect(await syncing()).to.eql({ status: 'ok' }));
    expect((await status()).json.blocking).to.deep.equal([]);
    expect(lines('this worker leads')).to.have.length(1);
    expect(lines('works again')).to.have.length(1);
    const [failure] = lines('syncing: failed and is retried');
    expect(JSON.parse(failure ?? '')).to.include({
      reason: '55P03: canceling statement due to lock timeout',
    });
  });

  it('names a session that locks single rows, although its lock is visible only while the worker waits', async () => {
    await locker.query('begin; select from content_read.sync_jobs for update');
    await eventually(async () => expect((await syncing()).status).to.equal('degraded'));
    expect((await status()).json.blocking[0]).to.include({ pid: await pid() });
  });

  it('names that session also if the status itself cannot read the table', async () => {
    await locker.query('begin; lock table content_read.tags in access exclusive mode');
    expect((await status()).text).to.match(
      new RegExp(`lock timeout.*session ${await pid()} \\(.*locks content_read\\.tags`, 's'),
    );
  });
});
