import { describeTestBrowser } from './browser.js';
import './properties.js';
import { describeTestPgBouncer } from './test-pgbouncer.js';
import { describeTestPostgres, stopTestPostgres } from './test-postgres.js';
import { describeTestRedis, stopTestRedis } from './test-redis.js';

/** Mocha's own: a process that shares the run with others. */
const IS_WORKER = process.env.MOCHA_WORKER_ID !== undefined;

/** Says what the run was made on and what it left out, and leaves nothing behind. */
export const mochaHooks = {
  async afterAll() {
    const used = {
      PostgreSQL: await describeTestPostgres(),
      PgBouncer: describeTestPgBouncer(),
      Redis: await describeTestRedis(),
      Chromium: describeTestBrowser(),
    };
    for (const [name, description] of Object.entries(used)) {
      if (description !== null && !IS_WORKER) process.stdout.write(`\n  ${name}: ${description}\n`);
    }
    await Promise.all([stopTestPostgres(), stopTestRedis()]);
  },
};
