import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };

const files = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((file) => join('tests', file))
  .filter((file) => file.endsWith('.test.ts') && !file.includes('/violations/'));

const { scripts } = packageJson;
const { test: all, 'test:all': tests, 'test:failover': failover, 'test:long': long } = scripts;
/** CI does not run these: they install hundreds of megabytes, and take minutes. */
const { 'test:dashboards': dashboards, 'test:websites': websites } = scripts;

describe('Each test file', () => {
  it('is run by exactly one command: one of the three that CI runs, or one of the two for foreign software', () => {
    const commands = [tests, failover, long, dashboards, websites];
    const commandsOf = (file: string) => commands.filter((command) => runs(command, file));
    expect(files.filter((file) => commandsOf(file).length !== 1)).to.deep.equal([]);
    expect(all).to.match(/ && npm run test:all$/);
    // Runs the HTTP suite again, on other stages.
    expect(long).to.match(/ && npm run test:over-dashboards$/);
    const given = readFileSync('.ci/run', 'utf8');
    for (const command of ['npm test', 'npm run test:failover', 'npm run test:long']) {
      expect(given).to.match(new RegExp(`^run .* ${command}$`, 'm'));
    }
  });
});

function runs(command: string, file: string): boolean {
  const patterns = (text: string) => (text.match(/tests\/[^' ]+\*[^' ]*/g) ?? []).map(patternOf);
  const [included = '', ...ignored] = command.split('--ignore');
  const isIn = (list: readonly RegExp[]) => list.some((pattern) => pattern.test(file));
  return isIn(patterns(included)) && !isIn(patterns(ignored.join()));
}

/** Supports the patterns that the commands use: `**`, `*` and `{a,b}`. */
function patternOf(glob: string): RegExp {
  const text = glob
    .replaceAll('.', '\\.')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`)
    .replaceAll(/\*\*\/|\*\*|\*/g, (stars) => ({ '**/': '(.*/)?', '**': '.*' })[stars] ?? '[^/]*');
  return new RegExp(`^${text}$`);
}
