import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { catchUp, rebuild } from '../../../src/programs/sync/sync-once.js';
import { acceptPresentDashboard, SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { complaints } from '../../support/programs/doctor-findings.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { type Databases, statusOf, syncSettings } from '../../support/sync/sync-settings.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const EXPLANATION =
  /WRITE_DATABASE_URL is not the database .* not database \d+ of server \d+.*--accept-dashboard/;
const CONTENT = `
  insert into organizations (id, name) values ('org', 'Org');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
  insert into api_keys (id, organization_id, key_hash) values ('key', 'org', 'hash')`;

describe('A different dashboard from before', () => {
  let databases: SyncedDatabases;
  let other: SyncedDatabases;

  before(async () => {
    [databases, other] = [await SyncedDatabases.create(), await SyncedDatabases.create()];
    await databases.dashboard.raw(CONTENT);
  });
  after(async () => {
    await Promise.all([databases?.close(), other?.close()]);
  });

  const settings = (writeDatabaseUrl: string) =>
    syncSettings({ writeDatabaseUrl, readDatabaseUrl: databases.readDatabaseUrl });
  const rightOne = () => settings(databases.writeDatabaseUrl);
  const wrongOne = () => settings(other.writeDatabaseUrl);
  const keys = () => databases.readTables('content_read.api_keys').pluck('id');
  const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error).then(String);
  const shownOf = async (dashboard: Databases) => (await statusOf(dashboard)).json.dashboard;

  it('is not synced: nothing is deleted, and the status explains what to do', async () => {
    await catchUp(rightOne());
    expect(await keys()).to.eql(['key']);

    expect(await failureOf(catchUp(wrongOne()))).to.match(EXPLANATION);
    expect(await failureOf(rebuild(wrongOne(), () => {}))).to.match(EXPLANATION);
    expect(await keys()).to.eql(['key']);
    expect(await shownOf(wrongOne())).to.match(EXPLANATION);
    expect((await complaints({ ...wrongOne(), redisUrls: null, redisCacheUrls: null })).join('\n')).to.match(
      /failure dashboard.other: WRITE_DATABASE_URL is not/,
    );
  });

  it('is in no metric: neither its lag nor its change capture, which migrate would repair there', async () => {
    const gauges = async (settings: Databases) => {
      const metrics = new PrometheusMetrics();
      const program = new SyncProgram(syncSettings(settings), metrics);
      try {
        const text = await metrics.text();
        return ['lag_seconds', 'queue_length', 'capture_broken'].map((name) =>
          sampleOf(text, `blog_read_api_sync_${name}`),
        );
      } finally {
        await program.stop();
      }
    };
    await other.dashboard.raw('alter table tags disable trigger all');
    expect(await gauges(wrongOne())).to.eql([null, null, null]);
    await eventually(async () =>
      expect(await gauges(rightOne()))
        .to.include(0)
        .and.not.include(null),
    );
  });

  it('does not affect the right one', async () => {
    await databases.dashboard.raw(`update api_keys set revoked_at = '2026-01-01Z'`);
    await catchUp(rightOne());
    expect(await shownOf(rightOne())).to.equal('ok');
    expect(await databases.readTables('content_read.api_keys').whereNull('revoked_at').pluck('id')).to.eql(
      [],
    );
  });

  it('is synced once an operator accepts it: everything is read from it', async () => {
    await acceptPresentDashboard(wrongOne(), () => {});
    await catchUp(wrongOne());
    expect(await keys()).to.eql([]);
    expect(await shownOf(wrongOne())).to.equal('ok');
    expect(await failureOf(catchUp(rightOne()))).to.match(EXPLANATION);
  });
});
