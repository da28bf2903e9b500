import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { complaints } from '../../support/programs/doctor-findings.js';
import { RunningProgram } from '../../support/programs/program.js';
import { adminAddressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { statusOf, syncSettings } from '../../support/sync/sync-settings.js';
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
    locker = new pg.Client({ connectionString: dashboard.readDatabaseUrl });
    await locker.connect();
  });
  after(async () => {
    await worker?.end('SIGKILL');
    await locker?.end();
    await granted?.drop();
  });

  const syncing = async () => JSON.parse((await askOperators(admin, '/readyz')).text).checks.syncing;
  const doctorSettings = () => ({ ...syncSettings(urls), redisUrls: null, redisCacheUrls: null });
  const lines = (text: string) => worker.output.split('\n').filter((line) => line.includes(text));

  it('is degraded with the reason and is counted, until the lock ends', async () => {
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

    await eventually(async () => {
      const { lastLeader } = (await statusOf(urls)).json;
      expect(lastLeader.epoch).to.be.above(1);
      expect(lastLeader.failure).to.match(/^the last \d+ sessions failed: 55P03: /);
    });
    for (let look = 0; look < 10; look++) {
      const found = (await complaints(doctorSettings())).find((line) =>
        line.includes(' syncLeader.failing: '),
      );
      expect(found).to.match(/^failure .* the last \d+ sessions failed: 55P03: canceling statement/);
    }

    await locker.query('rollback');
    await eventually(async () => expect(await syncing()).to.eql({ status: 'ok' }));
    expect(lines('this worker leads')).to.have.length(1);
    expect(lines('works again')).to.have.length(1);
    const [failure] = lines('syncing: failed and is retried');
    expect(JSON.parse(failure ?? '')).to.include({
      reason: '55P03: canceling statement due to lock timeout',
    });
  });
});
