import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Examined } from '../../src/domain/model/finding.js';
import { createDashboard } from '../support/postgres/migrated-databases.js';
import { runProgram } from '../support/programs/program.js';

const EXTENSION = './tests/programs/own-read-model.mjs';
const NAME = 'a read model of our own';
const PORTS = ['Leadership', 'ReadModelWriter', 'JobQueue', 'SyncNotes', 'GenerationTable'];

describe('The commands for operators, with the read model of an extension that keeps the process alive:', () => {
  let folder: string;
  let environment: Record<string, string>;

  const run = (...args: readonly string[]) => runProgram(args, environment);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-extensions-'));
    const EXTENSIONS = join(folder, 'busy.mjs');
    const own = pathToFileURL(resolve(EXTENSION)).href;
    await writeFile(EXTENSIONS, `setInterval(() => {}, 1_000); export { default } from '${own}';`);
    environment = { EXTENSIONS, LOG_LEVEL: 'warn', WRITE_DATABASE_URL: await createDashboard() };
    const { code, output } = await run('migrate');
    expect(code, output).to.equal(0);
    expect(output).to.match(/^Read tables: READ_DATABASE_URL is not set, so nothing is migrated\.$/m);
    expect(output).to.match(/^Change capture: applied /m);
  });
  after(() => rm(folder, { recursive: true }));

  it('doctor reports what is replaced, and checks the rest', async () => {
    const { code, output } = await run('doctor', '--json');
    const findings: readonly Examined[] = JSON.parse(output);
    expect(findings.filter(({ outcome }) => outcome === 'failure')).to.deep.equal([]);
    expect(code).to.equal(0);
    const checks = findings.map(({ check }) => check);
    expect(checks).to.include.members([`extension ${NAME}`, 'ownStore', 'changeCapture']);
    expect(checks.filter((check) => /^read|migrations|Leader|unshown/.test(check))).to.deep.equal([]);
    const loaded = findings.find(({ check }) => check === `extension ${NAME}`);
    expect(loaded?.message).to.equal(`replaces ${PORTS.join(', ')}: their default adapters are not checked`);
  });

  it('sync --status reports the dashboard', async () => {
    const { code, output } = await run('sync', '--status', '--json');
    expect(code, output).to.equal(0);
    const report = JSON.parse(output);
    expect(report).to.have.keys('replaced', 'dashboard', 'queue', 'lagMs', 'rows');
    expect(report.replaced).to.deep.equal(Object.fromEntries(PORTS.map((port) => [port, NAME])));
  });

  it('a command exits with 78 and the reason if the module is invalid', async () => {
    const { code, output } = await runProgram(['doctor'], { ...environment, EXTENSIONS: './gone.mjs' });
    expect(code).to.equal(78);
    expect(output).to.match(/EXTENSIONS \.\/gone\.mjs cannot be loaded: /);
  });
});
