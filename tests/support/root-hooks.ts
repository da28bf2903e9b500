import './properties.js';
import { stopTestMariaDb } from './mariadb/test-mariadb.js';
import { stopTestPostgres } from './postgres/test-postgres.js';
import { stopTestRedis } from './redis/test-redis.js';

/** Leaves no server behind. */
export const mochaHooks = {
  async afterAll() {
    await Promise.all([stopTestMariaDb(), stopTestPostgres(), stopTestRedis()]);
  },
};
