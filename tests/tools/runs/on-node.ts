import { spawnSync } from 'node:child_process';

/** Tested besides the oldest supported line. README, CONTRIBUTING and docs/extending.md name them. */
const LINES = ['22', '24', '26'];

/**
 * Runs the tests of programs, of HTTP and of ports on other Node lines, which npm's package `node` has. Everything
 * that the tests start runs on the same line. `newest` is the last one, `all` is every line; lines can also be named.
 * With `--if-available`, a line that cannot be fetched is left out and reported.
 */
const [which = '', ...flags] = process.argv.slice(2);
const lines = which === 'all' ? LINES : which === 'newest' ? LINES.slice(-1) : which.split(',');
const TESTS = [
  ...['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', '3'],
  ...['--require', 'tests/support/shared-postgres.ts', 'tests/{contracts,http,programs}/**/*.test.ts'],
];

for (const line of lines) {
  const run = (...args: readonly string[]) =>
    spawnSync('npm', ['exec', '--yes', `--package=node@${line}`, '--', 'node', ...args], {
      stdio: 'inherit',
    });
  if (run('--version').status === 0) process.exitCode ||= run(...TESTS).status ?? 1;
  else if (flags.includes('--if-available'))
    process.stdout.write(`\nLEFT OUT: the tests on Node ${line}, which npm cannot install here\n`);
  else throw new Error(`npm cannot install Node ${line} here: see above`);
}
