import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { ConnectedRedis } from '../../support/redis/connected-redis.js';
import { type RedisCluster, sharedCluster } from '../../support/redis/redis-cluster.js';

const NODES_NAMED = 2;

/** Repeated, because a single process could connect to a suitable node by chance. */
async function expectUseOf(urls: readonly string[]): Promise<void> {
  for (let n = 0; n < 5; n++) {
    const redis = await ConnectedRedis.connect(urls);
    try {
      expect(redis.client.status).to.equal('ready');
      for (const name of ['one', 'other', 'third']) {
        const set = () =>
          redis.breaker.attempt(name, (client) => client.set(name, '', 'PX', 1_000) as Promise<string>);
        await eventually(async () => expect(await set()).to.equal('OK'));
      }
    } finally {
      await redis.close();
    }
  }
}

async function nodesWhoseRoleIs(role: string, cluster: RedisCluster): Promise<string[]> {
  const shards = await Promise.all([0, 1, 2].map((shard) => cluster.leaderOf(shard)));
  const nodes = role === 'master' ? shards : shards.map((leader) => cluster.partnerOf(leader));
  return nodes.map(({ server }) => server.url);
}

describe('A starting program uses a Redis Cluster', () => {
  const cluster = sharedCluster();

  for (const role of ['master', 'replica']) {
    it(`when each node that REDIS_URL names is a ${role}`, async () => {
      await expectUseOf((await nodesWhoseRoleIs(role, cluster())).slice(0, NODES_NAMED));
    });
  }

  it('after replicas have replaced the masters that REDIS_URL names', async () => {
    const leaders = [await cluster().leaderOf(0), await cluster().leaderOf(1)];
    for (const leader of leaders) await cluster().partnerOf(leader).client.call('CLUSTER', 'FAILOVER');
    await eventually(async () => {
      for (const { client } of leaders) expect((await client.role())[0]).to.equal('slave');
    });
    await cluster().whole();
    await expectUseOf(leaders.map(({ server }) => server.url));
  });

  it('when REDIS_URL names its nodes by addresses other than the announced ones', async () => {
    const urls = cluster().urls.map((url) => url.replace('127.0.0.1', 'localhost'));
    await expectUseOf(urls.slice(0, NODES_NAMED));
  });
});
