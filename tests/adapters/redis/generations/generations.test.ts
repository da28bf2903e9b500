import { expect } from 'chai';
import { generationName } from '../../../../src/adapters/redis/connection/key-names.js';
import { RedisGenerations } from '../../../../src/adapters/redis/generations/redis-generations.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import { type ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
import { plainClient } from '../../../support/redis/plain-client.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

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
});
