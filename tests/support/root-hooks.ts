import './properties.js';
import { stopTestMariaDb } from '../qa/support/servers/test-mariadb.js';
import { stopTestPostgres } from './postgres/test-postgres.js';
import { stopTestRedis } from './redis/test-redis.js';

/** Ends the servers of the run. */
export const mochaHooks = {
  async afterAll() {
    await Promise.all([stopTestMariaDb(), stopTestPostgres(), stopTestRedis()]);
  },
};
