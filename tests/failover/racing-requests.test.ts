import { expect } from 'chai';
import { Dashboard } from '../support/dashboard.js';
import { RunningProgram } from '../support/program.js';
import { addressOf } from '../support/running-programs.js';
import { sendRequest } from '../support/send-request.js';
import { sharedRedis } from '../support/test-redis.js';

const PROCESSES = 4;
const REQUESTS = 4_000;
const AT_ONCE = 256;
const LIMIT = 100;

describe('Four API processes with one Redis', () => {
  const redis = sharedRedis();
  let programs: readonly RunningProgram[];

  after(async () => {
    await Promise.all(programs.map((program) => program.end('SIGTERM')));
  });

  it(`admit exactly ${LIMIT} of ${REQUESTS} requests that race with one key`, async () => {
    const dashboard = await Dashboard.create(1);
    const { key } = dashboard.tenant();
    programs = Array.from(
      { length: PROCESSES },
      () =>
        new RunningProgram(['api'], {
          READ_DATABASE_URL: dashboard.readDatabaseUrl,
          REDIS_URL: redis().url,
          RATE_LIMIT_MAX: String(LIMIT),
          // Longer than this takes on any machine.
          RATE_LIMIT_WINDOW_SECONDS: '600',
          PORT: '0',
          HOST: '127.0.0.1',
        }),
    );
    const addresses = await Promise.all(programs.map(addressOf));

    let sent = 0;
    const counts = new Map<number, number>();
    const sendOnAndOn = async () => {
      while (sent < REQUESTS) {
        const address = addresses[sent++ % PROCESSES] as string;
        const { status } = await sendRequest(address, '/api/v1/blogs', { 'X-API-Key': key });
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendOnAndOn));
    expect(Object.fromEntries(counts)).to.deep.equal({ 200: LIMIT, 429: REQUESTS - LIMIT });
  });
});
