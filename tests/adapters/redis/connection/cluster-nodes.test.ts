import { expect } from 'chai';
import keySlot from 'cluster-key-slot';
import type { Cluster } from 'ioredis';
import { probeName, requestLogName } from '../../../../src/adapters/redis/connection/key-names.js';
import { LIMITS } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { type Conduct, FakeCluster } from './fake-cluster.js';

const { opened, closed } = LIMITS;
const HALF = 8_192;

/** An organization whose names are in this half of the slots. */
function organizationIn(half: 0 | 1, from = 0): string {
  for (let n = from; ; n++) {
    if (Math.floor(keySlot(requestLogName(`org ${n}`, 'key')) / HALF) === half) return `org ${n}`;
  }
}

describe('The client of a Redis Cluster', () => {
  let cluster: FakeCluster;
  let redis: ConnectedRedis;
  const failing = requestLogName(organizationIn(0), 'key');
  const healthy = requestLogName(organizationIn(1), 'key');

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
    redis.breaker.attempt(name, async (client) => {
      await client.incr(name);
      return 'Redis';
    });
  const timesReceived = (name: string) =>
    cluster.nodes.flatMap(({ received }) => received).filter((words) => words.includes(name)).length;

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

  for (const conduct of ['hangs up', 'is silent'] satisfies Conduct[]) {
    it(`continues with the other master when one ${conduct}, and opens the circuit breaker of that one only`, async () => {
      cluster.nodes[0].conduct = conduct;
      await eventually(() => {
        void increment(failing);
        expect(redis.breaker.isOpenFor(failing)).to.equal(true);
      });
      for (let n = 0; n < 20; n++) {
        expect(await increment(healthy)).to.equal('Redis');
        expect(await increment(failing)).to.equal(null);
      }
      expect(redis.breaker.isOpen).to.equal(true);
      expect(redis.breaker.isOpenFor(healthy)).to.equal(false);
      expect(redis.log.messages).to.deep.equal([opened]);

      cluster.nodes[0].conduct = 'answers';
      await eventually(async () => expect(await increment(failing)).to.equal('Redis'));
      expect(redis.log.messages).to.deep.equal([opened, closed]);
    });
  }

  it('probes a master by the name that failed last, because slots move', async () => {
    const probed = (name: string) => timesReceived(probeName(name, 'answer'));
    for (const name of [failing, requestLogName(organizationIn(0, 1_000), 'key')]) {
      await redis.breaker.attempt(name, () => Promise.reject(new Error('refused')));
      await eventually(() => expect(probed(name)).to.equal(1));
    }
  });

  it('reconnects to a master that stays silent, and to no other', async () => {
    const reconnected: string[] = [];
    for (const node of (redis.client as Cluster).nodes('master')) {
      node.on('close', () => reconnected.push(`redis://127.0.0.1:${node.options.port}`));
    }
    cluster.nodes[0].conduct = 'is silent';
    await increment(failing);
    await eventually(() => expect(reconnected).not.to.be.empty);
    expect(new Set(reconnected)).to.deep.equal(new Set(cluster.urls.slice(0, 1)));
  });
});
