import { expect } from 'chai';
import { createCapturedDashboard, createReadTables } from '../support/postgres/migrated-databases.js';
import { RunningProcess } from '../support/programs/running-process.js';
import { sharedRedis } from '../support/redis/test-redis.js';

const PROGRAM = 'tests/package/creating-program.ts';
/** Settings that would end each program if it read them. */
const OF_THE_PROCESS = { PORT: 'x', ADMIN_PORT: 'x', READ_DATABASE_URL: 'x', EXTENSIONS: './gone.js' };

describe('Programs created by `createApi` and `createSyncWorker`', () => {
  const redis = sharedRedis();
  let databases: Record<string, string>;
  let running: RunningProcess | null = null;

  before(async () => {
    databases = {
      READ_DATABASE_URL: await createReadTables(),
      WRITE_DATABASE_URL: await createCapturedDashboard(),
    };
  });

  // Ends a program that did not end by itself.
  afterEach(() => running?.end('SIGKILL'));

  /** The output of a process that creates them, once it has ended by itself. */
  async function linesOf(settings: Readonly<Record<string, string>>, mode: string): Promise<string[]> {
    const environment = { PATH: process.env.PATH, ...OF_THE_PROCESS };
    const creating = new RunningProcess(
      process.execPath,
      ['--import', 'tsx', PROGRAM, JSON.stringify(settings), mode],
      environment,
      process.cwd(),
    );
    running = creating;
    const code = await creating.exitCode();
    expect(code, creating.output).to.equal(0);
    return creating.output.split('\n').filter((line) => line !== 'our store is closed');
  }

  for (const { where, more, tags } of [
    { where: 'in memory', more: () => ({}), tags: ['a', 'b'] },
    // Two programs with one store share their answers.
    { where: 'in Redis', more: () => ({ REDIS_URL: redis().url }), tags: ['a', 'a'] },
  ]) {
    it(`work side by side, and leave nothing open, with limits and cache ${where}`, async () => {
      const lines = await linesOf({ ...databases, ...more() }, 'run');
      expect(lines.splice(0, 3)).to.deep.equal([...tags, '401']);
      expect(lines.splice(0, 5)).to.deep.equal(Array(5).fill('200'));
      expect(lines).to.deep.equal([`gone ${tags[1]}`, 'done', '']);
    });
  }

  it('leave nothing open if they cannot be created or started', async () => {
    const lines = await linesOf({ ...databases, REDIS_URL: redis().url }, 'fail');
    expect(lines).to.deep.equal([
      'Port … of 127.0.0.1 is taken: stop the program that uses it, or set PORT to another one.',
      'This program was started before: create another one.',
      'This program was started before: create another one.',
      'PORT must be a whole number from 0 to 65535, not "x"',
      'extension #1 cannot create GenerationTable: there is no store',
      'SYNC_POLL_MS must be a whole number from 10 to 60000, not "x"',
      'extension #1 cannot create GenerationTable: there is no store',
      'done',
      '',
    ]);
  });
});
