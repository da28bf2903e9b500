import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { exists } from '../../../support/exists.js';
import { RunningProgram } from '../../../support/programs/program.js';
import { adminAddressOf } from '../../../support/programs/running-programs.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const MOMENTS = 10;
const AT_ONCE = 2;

const DEPLOYMENTS = [
  { what: '`api`', args: ['api'] },
  { what: '`api --processes 2`', args: ['api', '--processes', '2'] },
];

describe('A signal during the start', () => {
  const redis = sharedRedis();
  const running: RunningProgram[] = [];
  let databaseUrl: string;

  before(async () => {
    databaseUrl = (await Dashboard.create(1)).readDatabaseUrl;
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((program) => program.end('SIGKILL')));
  });

  const start = (args: readonly string[], environment: Record<string, string> = {}) => {
    const program = new RunningProgram(args, {
      READ_DATABASE_URL: databaseUrl,
      REDIS_URL: redis().url,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      ...environment,
    });
    running.push(program);
    return program;
  };
  const held = (environment: Record<string, string>) => ({
    EXTENSIONS: './tests/programs/api/held-start.mjs',
    ...environment,
  });
  const pidsAfter = (program: RunningProgram, message: string) =>
    program.output
      .split('\n')
      .filter((line) => line.endsWith('}') && line.includes(message))
      .map((line) => Number(JSON.parse(line).pid));
  const areGone = (pids: readonly number[]) =>
    eventually(async () => {
      for (const pid of pids) expect(await exists(`/proc/${pid}`), String(pid)).to.equal(false);
    });

  for (const { what, args } of DEPLOYMENTS) {
    it(`ends ${what}, at whatever moment SIGTERM arrives`, async () => {
      const begunAt = performance.now();
      const whole = start(args);
      await adminAddressOf(whole);
      const takesMs = performance.now() - begunAt;
      await whole.end('SIGKILL');
      const stopAt = async (moment: number) => {
        const program = start(args);
        await pause((takesMs * moment) / MOMENTS);
        const code = await program.end('SIGTERM');
        expect(code, program.output).to.be.oneOf([0, null]);
        await areGone(pidsAfter(program, '"pid":'));
      };
      for (let moment = 1; moment <= MOMENTS; moment += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, next) => stopAt(moment + next)));
      }
    });

    it(`ends ${what} if SIGTERM is still pending when the program takes over the handling of signals`, async () => {
      const program = start(args, held({ SIGNALS_ITSELF: 'SIGTERM' }));
      expect(await program.exitCode(), program.output).to.be.oneOf([0, null]);
    });
  }

  it('ends several processes on SIGTERM while one of them hangs', async () => {
    const program = start(['api', '--processes', '3'], held({ HELD_FROM_PROCESS: '2' }));
    const pids = await eventually(() => {
      const found = pidsAfter(program, 'extension loaded');
      expect(found).to.have.length(3);
      return found;
    });
    expect(await program.end('SIGTERM')).to.equal(0);
    await areGone(pids);
  });

  it('lets no other process start after SIGTERM', async () => {
    const program = start(['api', '--processes', '3'], held({ HELD_FROM_PROCESS: '1' }));
    await program.printed(/extension loaded/);
    expect(await program.end('SIGTERM')).to.equal(0);
    expect(pidsAfter(program, 'extension loaded')).to.have.length(1);
  });
});
