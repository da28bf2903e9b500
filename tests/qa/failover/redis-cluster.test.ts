import { expect } from 'chai';
import keySlot from 'cluster-key-slot';
import { requestLogName } from '../../../src/adapters/redis/connection/key-names.js';
import { LIMITS } from '../../../src/adapters/redis/rate-limit/redis-request-log.js';
import type { RateLimit } from '../../../src/application/requests/rate-limit.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { ConnectedRedis } from '../../support/redis/connected-redis.js';
import { sharedCluster } from '../../support/redis/redis-cluster.js';
import type { RedisServer } from '../../support/redis/redis-server.js';
import { limitOn } from '../../support/redis/request-log-on.js';

/** How long a command waits for a silent master: its failure is what these tests are about. */
const SILENT_AFTER_MS = 2_000;
const WINDOW = { limit: 20, lengthMs: 60_000 };

/** The connections of one API process to the cluster. */
class Process {
  readonly limit: RateLimit;

  constructor(readonly redis: ConnectedRedis) {
    this.limit = limitOn(redis.breaker, WINDOW, redis.metrics);
  }

  static async start(urls: readonly string[]): Promise<Process> {
    const redis = await ConnectedRedis.connect(urls, { ...LIMITS, commandTimeoutMs: SILENT_AFTER_MS });
    redis.breaker.setInstallation('installation');
    return new Process(redis);
  }
}

describe('On a Redis Cluster', () => {
  const cluster = sharedCluster();
  let one: Process;
  let other: Process;

  before(async () => {
    [one, other] = await Promise.all([
      Process.start(cluster().urls),
      Process.start([...cluster().urls].reverse()),
    ]);
    await eventually(async () => {
      for (const process of [one, other]) {
        const without = process.redis.metrics.of('without-redis');
        await process.limit.limit({ id: 'key', organizationId: freshId('org') });
        expect(process.redis.metrics.of('without-redis')).to.equal(without);
      }
    });
  });

  after(() => Promise.all([one?.redis.close(), other?.redis.close()]));

  /** An organization whose names are on this server. */
  async function organizationOn(server: RedisServer): Promise<string> {
    for (;;) {
      const organizationId = freshId('org');
      if ((await cluster().masterOf(requestLogName(organizationId, 'key'))) === server) return organizationId;
    }
  }

  it('the migration of a slot leaves no request without a verdict, and does not affect other organizations of its master', async () => {
    const [from, to] = [await cluster().leaderOf(0), await cluster().leaderOf(1)];
    const [moving, staying] = [await organizationOn(from.server), await organizationOn(from.server)];
    const record = async (organizationId: string, { limit }: Process) =>
      limit.limit({ id: 'key', organizationId });
    for (const organizationId of [moving, staying]) await record(organizationId, one);
    const slot = keySlot(requestLogName(moving, 'key'));
    await cluster().beginToMove(slot, from, to);

    const countedAlone = async (organizationId: string) => {
      const before = one.redis.metrics.of('without-redis');
      expect((await record(organizationId, one)).admitted).to.equal(true);
      return one.redis.metrics.of('without-redis') > before;
    };
    for (const organizationId of [moving, staying]) {
      for (let n = 0; n < 3; n++) expect(await countedAlone(organizationId)).to.equal(false);
    }

    await cluster().endMove(slot, from, to);
    await eventually(async () => expect(await countedAlone(moving)).to.equal(false));
    // Requests that were accepted during the migration are counted, too.
    await eventually(async () => {
      const [mine, others] = [await record(moving, one), await record(moving, other)];
      expect(others.remaining).to.equal(mine.remaining - 1);
    });
  });

  it('the loss of a master leaves no request without a verdict, and the limit is shared again after the failover', async () => {
    const organizations = Array.from({ length: 6 }, () => freshId('org'));
    const isShared = async (organizationId: string) => {
      const key = { id: freshId('key'), organizationId };
      const verdicts = [await one.limit.limit(key), await other.limit.limit(key)];
      expect(verdicts.every(({ admitted }) => admitted)).to.equal(true);
      return verdicts[1]?.remaining === WINDOW.limit - 2;
    };
    const [lost = ''] = organizations;
    expect(await isShared(lost)).to.equal(true);
    await (await cluster().masterOf(requestLogName(lost, ''))).kill();

    await eventually(async () => expect(await isShared(lost)).to.equal(false));
    await eventually(async () => {
      for (const organizationId of organizations) expect(await isShared(organizationId)).to.equal(true);
    });
  });
});
