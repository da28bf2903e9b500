import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { generationName } from '../../../../src/adapters/redis/connection/key-names.js';
import { RedisGenerations } from '../../../../src/adapters/redis/generations/redis-generations.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import { plainClient } from '../../../support/postgres/plain-client.js';
import { type ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
import { requestLogOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const NOW = 1_768_000_000_000_000;

describe('RedisGenerations', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  let process: ConnectedRedis;
  let generations: RedisGenerations;
  let organizationId: string;

  beforeEach(async () => {
    process = await connect();
    generations = new RedisGenerations(process.breaker);
    organizationId = freshId('org');
  });

  for (const foreign of ['', 'a word', 'inf', '9e18', '1.5']) {
    it(`shows nothing if another program wrote "${foreign}": under an invalid generation, answers would never become outdated`, async () => {
      await client().set(generationName(organizationId), foreign);
      expect(await generations.published(organizationId)).to.equal(null);
    });
  }

  it('uses the generation of a request that is sent in the same turn, and reads it separately in a later turn', async () => {
    const log = requestLogOn(process.breaker);
    const shown = new RedisGenerations(process.breaker, log);
    await generations.publish([{ organizationId, generation: NOW }]);
    const sent = sinon.spy(process.breaker, 'run');

    const recorded = log.record({ id: 'key', organizationId }, { limit: 5, lengthMs: 60_000 });
    expect(await shown.published(organizationId)).to.equal(NOW);
    expect(sent.callCount).to.equal(1);
    await recorded;

    const recording = log.record({ id: 'key', organizationId }, { limit: 5, lengthMs: 60_000 });
    await nextTurn();
    await generations.publish([{ organizationId, generation: NOW + 1 }]);
    expect(await shown.published(organizationId)).to.equal(NOW + 1);
    await recording;
  });
});
