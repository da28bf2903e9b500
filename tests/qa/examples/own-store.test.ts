import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { RunningProcess } from '../../support/programs/running-process.js';
import { createTestMariaDbDatabase } from '../support/servers/test-mariadb.js';

const EXAMPLE = 'docs/examples/own-store';
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const STAGE = 'dist/tests/support/team-store.js';

describe('The example of a team with its own store', () => {
  let folder = '';
  let environment: NodeJS.ProcessEnv = {};

  before(async function () {
    const mariaDb = await createTestMariaDbDatabase(this);
    const postgres = await createTestDatabase();
    environment = {
      ...process.env,
      MARIADB_URL: mariaDb,
      POSTGRES_URL: postgres,
      TEST_DATABASE_URL: postgres,
    };
    folder = await mkdtemp(join(tmpdir(), 'own-store-'));
    await cp(EXAMPLE, join(folder, 'package'), { recursive: true });
    // The package was built before the tests.
    await run('npm', ['pack', ...QUIETLY, '--pack-destination', folder], '.');
    const [tarball = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
    await run('npm', ['install', ...QUIETLY, '--prefer-offline', '--no-package-lock', join(folder, tarball)]);
  });

  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs a command that has to succeed. */
  async function run(command: string, args: readonly string[], cwd = join(folder, 'package')): Promise<void> {
    const process = new RunningProcess(command, args, environment, cwd);
    expect(await process.exitCode(), `${command} ${args.join(' ')}:\n${process.output}`).to.equal(0);
  }

  it('passes its own tests, outside of this project and with only the tarball', () => run('npm', ['test']));

  it('passes the HTTP suite of this project', async () => {
    environment.HTTP_STAGES = 'team-store';
    environment.TEAM_STORE = join(folder, 'package', STAGE);
    const suite = ['--parallel', '--jobs', '2', 'tests/http/**/*.test.ts'];
    await run(join('node_modules', '.bin', 'mocha'), suite, '.');
  });
});
