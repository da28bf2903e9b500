import { expect } from 'chai';
import type { Cluster, Redis } from 'ioredis';
import { generationName } from '../../../src/adapters/redis/key-names.js';
import { keySlot } from '../../../src/adapters/redis/key-slot.js';
import { RedisGenerations } from '../../../src/adapters/redis/redis-generations.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { ConnectedRedis } from '../../support/redis/connected-redis.js';
import { type Conduct, FakeCluster } from './fake-cluster.js';

const HALF = 8_192;

/** An organization whose names are in this half of the slots. */
function organizationIn(half: 0 | 1): string {
  for (let n = 0; ; n++) {
    if (Math.floor(keySlot(generationName(`org ${n}`)) / HALF) === half) return `org ${n}`;
  }
}

describe('The client of a Redis Cluster', () => {
  let cluster: FakeCluster;
  let redis: ConnectedRedis;
  const failing = generationName(organizationIn(0));
  const healthy = generationName(organizationIn(1));

  beforeEach(async () => {
    cluster = await FakeCluster.start();
    redis = await ConnectedRedis.connect(cluster.urls);
    for (const name of [failing, healthy]) {
      await eventually(async () => expect(await increment(name)).to.equal('Redis'));
    }
    for (const node of cluster.nodes) node.received.length = 0;
  });
  afterEach(async () => {
    await redis.close();
    cluster.stop();
  });

  const increment = (name: string) =>
    redis.breaker.run<string>(
      async (client) => {
        await client.incr(name);
        return 'Redis';
      },
      () => 'fallback',
      name,
    );
  const timesReceived = (name: string) =>
    cluster.nodes.flatMap(({ received }) => received).filter(([, key]) => key === name).length;

  it('computes the slot of a name as Redis does', () => {
    expect(keySlot('any:{123456789}:name')).to.equal(0x31c3);
  });

  it('sends a command once if its connection closes', async () => {
    cluster.nodes[0].conduct = 'hangs up';
    // The promise rejects only after the last attempt.
    expect(await redis.client.incr(failing).catch((error: Error) => error)).to.be.instanceOf(Error);
    expect(timesReceived(failing)).to.equal(1);
  });

  it('sends a command even if the reply to the previous one never arrives', async () => {
    cluster.nodes[0].conduct = 'is silent';
    void redis.client.incr(failing).catch(() => {});
    await eventually(() => expect(timesReceived(failing)).to.equal(1));
    void redis.client.incr(failing).catch(() => {});
    await eventually(() => expect(timesReceived(failing)).to.equal(2));
  });

  it('connects to a node that joins before it sends a command to it', async () => {
    const joined = new Promise((resolve) => (redis.client as Cluster).once('+node', resolve));
    cluster.nodes[0].disconnectAll();
    const node = (await joined) as Redis;
    await eventually(() => expect(node.status).to.equal('ready'));
  });

  for (const conduct of ['hangs up', 'is silent'] satisfies Conduct[]) {
    it(`continues with the other master when one ${conduct}, and opens the circuit breaker of that one only`, async () => {
      cluster.nodes[0].conduct = conduct;
      await eventually(() => {
        void increment(failing);
        expect(redis.breaker.isOpenFor(failing)).to.equal(true);
      });
      for (let n = 0; n < 20; n++) {
        expect(await increment(healthy)).to.equal('Redis');
        expect(await increment(failing)).to.equal('fallback');
      }
      expect(redis.breaker.isOpen).to.equal(true);
      expect(redis.breaker.isOpenFor(healthy)).to.equal(false);
      expect(redis.metrics.of('redis-breaker-opened')).to.equal(1);

      cluster.nodes[0].conduct = 'answers';
      await eventually(async () => expect(await increment(failing)).to.equal('Redis'));
      expect(redis.metrics.of('redis-breaker-closed')).to.equal(1);
    });
  }

  it('does not trust published generations after a node has reconnected, however short its outage was', async () => {
    const generations = new RedisGenerations(redis.breaker, { current: async () => 7 });
    let returns = 0;
    redis.breaker.onConnect(() => {
      returns += 1;
      generations.distrust();
    });
    expect(await generations.current(organizationIn(0))).to.equal(1);
    cluster.nodes[0].disconnectAll();

    await eventually(async () => expect(await increment(failing)).to.equal('Redis'));
    // The circuit breaker may have opened, too; it also calls this when it closes.
    await eventually(() => expect(returns).to.be.greaterThan(redis.metrics.of('redis-breaker-closed')));
    expect(await generations.current(organizationIn(0))).to.equal(7);
  });
});
