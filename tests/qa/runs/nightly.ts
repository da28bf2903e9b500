import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs every property test with many new cases: see properties.ts. Set both variables to repeat a failure. */
const environment = {
  PROPERTY_SEED: process.env.PROPERTY_SEED ?? String(randomInt(2 ** 31)),
  PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? '3000',
};

const files = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('tests', file))
  .filter((file) => drawsCases(file))
  .toSorted();

process.stdout.write(
  `PROPERTY_SEED=${environment.PROPERTY_SEED} PROPERTY_RUNS=${environment.PROPERTY_RUNS} in ${files.length} files\n`,
);
const mocha = [
  ...['--no-config', '--import=tsx', '--timeout', '0'],
  ...['--require', 'tests/support/root-hooks.ts', '--reporter', 'tests/support/run-reporter.ts'],
];
const { status } = spawnSync('node_modules/.bin/mocha', [...mocha, ...files], {
  stdio: 'inherit',
  env: { ...process.env, ...environment },
});
process.exitCode = status ?? 1;

/** Whether the file uses properties itself or through a contract suite that it runs. */
function drawsCases(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (text.includes(`from 'fast-check'`)) return true;
  const imported = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path]) =>
    join(dirname(file), `${path}.ts`),
  );
  return imported.some((path) => path.startsWith('tests') && existsSync(path) && drawsCases(path));
}
