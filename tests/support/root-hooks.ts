import './properties.js';
import { stopTestMariaDb } from '../qa/support/servers/test-mariadb.js';
import { skipWithoutDocker } from './containers.js';
import { stopTestPostgres } from './postgres/test-postgres.js';
import { stopTestRedis } from './redis/test-redis.js';

/** Skip what cannot run here, and end the servers of the run. */
export const mochaHooks = {
  beforeAll(this: Mocha.Context) {
    return skipWithoutDocker(this);
  },
  async afterAll() {
    await Promise.all([stopTestMariaDb(), stopTestPostgres(), stopTestRedis()]);
  },
};
