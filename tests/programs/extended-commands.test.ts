import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Finding } from '../../src/adapters/cli/doctor-report.js';
import { createDashboard } from '../support/postgres/migrated-databases.js';
import { runProgram } from '../support/programs/program.js';

const EXTENSIONS = './tests/programs/own-read-model.mjs';
const NAME = 'a read model of our own';
const PORTS = ['Leadership', 'ReadModelWriter', 'JobQueue', 'SyncNotes', 'GenerationTable'];

describe('The commands for operators, with the read model of an extension:', () => {
  let environment: Record<string, string>;

  before(async () => {
    environment = { EXTENSIONS, LOG_LEVEL: 'warn', WRITE_DATABASE_URL: await createDashboard() };
    const { code, output } = await run('migrate');
    expect(code, output).to.equal(0);
    expect(output).to.match(
      new RegExp(`^Read tables: nothing to migrate, because extension ${NAME} replaces it\\.$`, 'm'),
    );
    expect(output).to.match(/^Change capture: applied /m);
  });

  const run = (...args: readonly string[]) => runProgram(args, environment);

  it('doctor reports what is replaced, and checks the rest', async () => {
    const { code, output } = await run('doctor', '--json');
    const findings: readonly Finding[] = JSON.parse(output);
    expect(findings.filter(({ outcome }) => outcome === 'failure')).to.deep.equal([]);
    expect(code).to.equal(0);
    const checks = findings.map(({ check }) => check);
    expect(checks).to.include.members([`extension ${NAME}`, 'ownStore', 'change capture']);
    expect(
      checks.filter((check) => /read database|migrations|leader|quarantined|identity/.test(check)),
    ).to.deep.equal([]);
    const loaded = findings.find(({ check }) => check === `extension ${NAME}`);
    expect(loaded?.found).to.equal(`replaces ${PORTS.join(', ')}: their default adapters are not checked`);
  });

  it('sync --status reports the dashboard and the job queue', async () => {
    const [text, json] = await Promise.all([run('sync', '--status'), run('sync', '--status', '--json')]);
    expect(text.code, text.output).to.equal(0);
    expect(text.output).to.match(new RegExp(`^replaced +Leadership, by ${NAME}$`, 'm'));
    expect(text.output).to.match(/^work +tags \(2\): waits\n {2}fails +3 times$/m);
    expect(text.output).to.match(/^work +everything: 5\/10 rows of stage 2$/m);
    expect(text.output).to.match(/^queue +\d+ changes?$/m);
    expect(text.output).to.match(/^blogs shown +0$/m);
    expect(text.output).not.to.match(/leader|repairs|quarantined|read tables/);
    const report = JSON.parse(json.output);
    expect(report.replaced).to.deep.equal(Object.fromEntries(PORTS.map((port) => [port, NAME])));
    expect(report).to.have.keys('replaced', 'dashboard', 'queue', 'work', 'rows');
  });

  it('keys needs no address of read tables', async () => {
    const { code, output } = await run('keys', 'create', '--organization', 'nobody', '--name', 'Key');
    expect(code).not.to.equal(78);
    expect(output).not.to.match(/READ_DATABASE_URL/);
  });

  it('a command ends even if a module would keep the process alive', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-extensions-'));
    const module = join(folder, 'busy.mjs');
    const own = pathToFileURL(resolve(EXTENSIONS)).href;
    await writeFile(module, `setInterval(() => {}, 1_000); export { default } from '${own}';`);
    try {
      for (const command of [['migrate'], ['sync', '--status']]) {
        const { code, output } = await runProgram(command, { ...environment, EXTENSIONS: module });
        expect(code, output).to.equal(0);
        expect(output).to.match(/change/i);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('a command exits with 78 and the reason if the module is invalid', async () => {
    for (const command of ['migrate', 'doctor', 'embedded']) {
      const { code, output } = await runProgram([command], { ...environment, EXTENSIONS: './gone.mjs' });
      expect(code, command).to.equal(78);
      expect(output).to.match(/EXTENSIONS \.\/gone\.mjs cannot be loaded: /);
    }
  });
});
