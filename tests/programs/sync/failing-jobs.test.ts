import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { Degraded } from '../../../src/adapters/operations/readiness.js';
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
      await check();
      expect(await lag()).to.be.below(3_600);
      await databases.readTables.raw(
        `insert into content_read.sync_jobs (scope, keys, attempts, requested_at) values ('tags', '{tag}', 1, now() - interval '1 hour')`,
      );
      expect(await check()?.catch((error: unknown) => error)).to.be.instanceOf(Degraded);
      expect(await lag()).to.be.at.least(3_600);
    } finally {
      await program.stop();
      await databases.close();
    }
  });
});
