import { expect } from 'chai';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf } from '../../support/programs/running-programs.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const REQUESTS = 4_000;
const AT_ONCE = 256;
const LIMIT = 100;

/** Several programs, or one program with several processes on one port. */
const DEPLOYMENTS = [
  { what: 'Four API processes', args: ['api'], programs: 4 },
  { what: '`api --processes 4`', args: ['api', '--processes', '4'], programs: 1 },
];

for (const { what, args, programs: count } of DEPLOYMENTS) {
  describe(`${what} with one Redis`, () => {
    const redis = sharedRedis();
    let programs: readonly RunningProgram[];

    after(async () => {
      await Promise.all(programs.map((program) => program.end('SIGTERM')));
    });

    it(`admit exactly ${LIMIT} of ${REQUESTS} requests that race with one key`, async () => {
      const dashboard = await Dashboard.create(2);
      const [{ key }, { key: another }] = [dashboard.tenant(), dashboard.tenant()];
      programs = Array.from(
        { length: count },
        () =>
          new RunningProgram(args, {
            READ_DATABASE_URL: dashboard.readDatabaseUrl,
            REDIS_URL: redis().url,
            RATE_LIMIT_MAX: String(LIMIT),
            // Longer than the test takes on any machine.
            RATE_LIMIT_WINDOW_SECONDS: '600',
            PORT: '0',
            HOST: '127.0.0.1',
          }),
      );
      const addresses = await Promise.all(programs.map(addressOf));
      // All processes of a program have started once its operators' port is open.
      await Promise.all(programs.map(adminAddressOf));

      const get = (n: number, withKey: string) =>
        sendRequest(addresses[n % count] as string, '/api/v1/blogs', { 'X-API-Key': withKey });
      // Warms the processes up.
      await Promise.all(Array.from({ length: LIMIT }, (_, n) => get(n, another)));

      let sent = 0;
      const counts = new Map<number, number>();
      const sendRepeatedly = async () => {
        while (sent < REQUESTS) {
          const { status } = await get(sent++, key);
          counts.set(status, (counts.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sendRepeatedly));
      expect(Object.fromEntries(counts)).to.deep.equal({ 200: LIMIT, 429: REQUESTS - LIMIT });
      const lines = programs.flatMap(({ output }) => output.match(/"pid":\d+,"requestId"/g) ?? []);
      expect(new Set(lines).size).to.equal(count === 1 ? 4 : 0);
    });
  });
}
