import './properties.js';
import { stopTestMariaDb } from './test-mariadb.js';
import { stopTestPostgres } from './test-postgres.js';
import { stopTestRedis } from './test-redis.js';

/** Leaves no server behind. */
export const mochaHooks = {
  async afterAll() {
    await Promise.all([stopTestMariaDb(), stopTestPostgres(), stopTestRedis()]);
  },
};
