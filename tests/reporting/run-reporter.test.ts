import { execFile } from 'node:child_process';
import { expect } from 'chai';
import { hasDocker } from '../support/containers.js';
import { skipWithout } from '../support/run-notes.js';

interface Report {
  readonly code: number;
  readonly lines: readonly string[];
}

/** As `npm test` runs: in several processes. */
function runPlanted(names: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Report> {
  const mocha = ['--no-config', '--import=tsx', '--reporter', 'tests/support/run-reporter.ts'];
  const required = ['--require', planted('uses'), '--require', 'tests/support/root-hooks.ts'];
  const args = [...mocha, '--parallel', '--jobs', '2', ...required, ...names.map(planted)];
  const env = { ...process.env, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], { env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.trimEnd().split('\n') }),
    );
  });
}

const planted = (name: string) => `tests/reporting/planted/${name}.ts`;

describe('The report of a test run', () => {
  it('ends with the servers used, and how many tests passed, failed and were skipped, and why', async () => {
    const { code, lines } = await runPlanted(['explained']);

    expect(lines.at(-1)).to.equal(
      '  1 passed, 0 failed, 4 skipped: 1 needs root, 1 needs `advance`, which the adapter lacks, 2 need Redis (install redis-server)',
    );
    expect(lines.at(-2)).to.equal('  PostgreSQL: planted');
    expect(code).to.equal(0);
  });

  it('counts a test that is skipped without a reason as failed, and names it', async () => {
    const { code, lines } = await runPlanted(['unexplained', 'explained']);

    expect(lines.at(-1)).to.match(/^ {2}1 passed, 2 failed, 4 skipped: /);
    const named = lines.filter((line) => line.startsWith('  Skipped without a reason'));
    expect(named.map((line) => line.split('unexplained.ts: ')[1])).to.eql([
      'Planted tests without a reason skip themselves',
      'Planted tests without a reason are marked',
    ]);
    expect(code).to.equal(2);
  });

  it('counts every test as skipped if a container is forced where no Docker is, and CI fails then', async function () {
    if (await hasDocker()) return skipWithout(this, 'a computer without Docker');
    const forced = { TEST_REDIS: 'container', TEST_MARIADB: 'mysql:8.4' };
    const { code, lines } = await runPlanted(['explained'], { ...forced, CI: '' });
    expect(lines.at(-1)).to.equal(
      '  0 passed, 0 failed, 5 skipped: 5 need Docker (for TEST_MARIADB, TEST_REDIS)',
    );
    expect(code).to.equal(0);

    expect((await runPlanted(['explained'], { ...forced, CI: 'true' })).code).to.equal(1);
  });
});
