import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { WorkerConnection } from '../../../src/adapters/postgres/worker-connection.js';
import { connectRedis } from '../../../src/adapters/redis/connect-redis.js';
import { RedisBreaker } from '../../../src/adapters/redis/redis-breaker.js';
import { RedisGenerations } from '../../../src/adapters/redis/redis-generations.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { WorkerHealth } from '../../../src/programs/sync/worker-health.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

describe('The metrics of generations', () => {
  const redis = sharedRedis();
  let tables: WorkerConnection;
  let breaker: RedisBreaker;
  let health: WorkerHealth;
  let metrics: PrometheusMetrics;

  const sample = async (name: string) => sampleOf(await metrics.text(), `blog_read_api_sync_${name}`);

  before(async () => {
    const url = await createReadTables();
    tables = new WorkerConnection(url, 'test');
    metrics = new PrometheusMetrics();
    breaker = new RedisBreaker(connectRedis([redis().url]), new RecordingLog(), metrics);
    breaker.setInstallation(randomUUID());
    await breaker.connected();
    health = new WorkerHealth({ engine: null, readDatabaseUrl: url });
    health.watch(metrics, breaker);
  });

  after(async () => {
    await health?.close();
    await breaker?.close();
    await tables?.close();
  });

  it('report how many organizations have an unpublished generation, and for how long', async () => {
    expect([await sample('unpublished_generations'), await sample('generation_lag_seconds')]).to.eql([0, 0]);
    const raised = await leadingWriter(tables.database).replace({
      kind: 'blogs',
      ids: ['b1', 'b2'],
      rows: [aBlog({ id: 'b1', organizationId: 'org_a' }), aBlog({ id: 'b2', organizationId: 'org_b' })],
    });
    const [{ generation }] = await tables.database
      .withSchema('content_read')
      .from('organizations')
      .where('organization_id', 'org_a')
      .select('generation');
    expect(raised).not.to.equal(null);
    const published = new RedisGenerations(breaker, { current: async () => 0 });

    // A generation that was never published is read from the read tables.
    expect(await sample('unpublished_generations')).to.equal(0);
    await published.publish([{ organizationId: 'org_a', generation: Number(generation) - 1 }]);
    expect(await sample('unpublished_generations')).to.equal(1);
    expect(await sample('generation_lag_seconds')).to.be.within(0.000001, 600);
    await published.publish([{ organizationId: 'org_a', generation: Number(generation) }]);
    expect([await sample('unpublished_generations'), await sample('generation_lag_seconds')]).to.eql([0, 0]);
  });
});
