import './properties.js';
import { handInNotes } from './surroundings.js';
import { stopTestMariaDb } from './test-mariadb.js';
import { stopTestPostgres } from './test-postgres.js';
import { stopTestRedis } from './test-redis.js';

/** Says what the run was made on and what it left out, and leaves nothing behind. */
export const mochaHooks = {
  async afterAll() {
    handInNotes();
    await Promise.all([stopTestMariaDb(), stopTestPostgres(), stopTestRedis()]);
  },
};
