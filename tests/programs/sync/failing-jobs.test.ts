import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { syncSettings } from '../../support/sync/sync-settings.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

describe('A job that fails', () => {
  it('makes its worker degraded, and is late since it was requested', async () => {
    const databases = await SyncedDatabases.create();
    const metrics = new PrometheusMetrics();
    const program = new SyncProgram(syncSettings(databases), metrics);
    const lag = async () => Number(/^blog_read_api_sync_lag_seconds (\S+)$/m.exec(await metrics.text())?.[1]);
    const check = () =>
      program
        .checks()
        .find(({ name }) => name === 'jobs')
        ?.run();
    try {
      expect(await check()).to.include({ outcome: 'ok' });
      expect(await lag()).to.be.below(3_600);
      await databases.readTables.raw(
        `insert into content_read.sync_jobs (scope, keys, attempts, requested_at) values ('tags', '{tag}', 1, now() - interval '1 hour')`,
      );
      expect(await check()).to.include({ outcome: 'warning' });
      expect(await lag()).to.be.at.least(3_600);
    } finally {
      await program.stop();
      await databases.close();
    }
  });
});

describe('The worker on read tables', () => {
  let databases: SyncedDatabases;
  let program: SyncProgram;

  before(async () => {
    databases = await SyncedDatabases.create();
    program = new SyncProgram(syncSettings(databases), new PrometheusMetrics());
  });
  after(async () => {
    await program?.stop();
    await databases?.close();
  });

  const problemOf = async (name: string) => {
    const check = program.checks().find((candidate) => candidate.name === name);
    expect(check?.isNeeded).to.equal(false);
    const finding = await check?.run();
    return finding?.outcome === 'ok' ? null : finding?.message;
  };

  it('of which one is renamed is degraded, and names it', async () => {
    expect(await problemOf('rights')).to.equal(null);
    await databases.readTables.raw('alter table content_read.titles rename to hidden');
    expect(await problemOf('rights')).to.match(/^titles does not exist/);
    await databases.readTables.raw('alter table content_read.hidden rename to titles');
  });

  it('is degraded by rows that cannot be shown, and names their cause', async () => {
    expect(await problemOf('unshownRows')).to.equal(null);
    await databases.readTables.raw(
      `insert into content_read.unshown_rows (kind, id, reason, cause, attempts, retry_at)
       select 'blogs', n::text, 'slug is null', 'slug is null', 1, now() + interval '1 hour' from generate_series(1, 2) as n`,
    );
    expect(await problemOf('unshownRows')).to.match(/^blogs: 2, the first one \d+: slug is null$/);
  });
});
