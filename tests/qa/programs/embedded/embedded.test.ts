import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { askOperators } from '../../../support/programs/ask-operators.js';
import { RunningProgram } from '../../../support/programs/program.js';
import { adminAddressOf } from '../../../support/programs/running-programs.js';

/** Binds something in both programs. */
const EXTENSION = `
  const check = { name: 'ours', run: async () => {} };
  export default {
    name: 'ours',
    api(bind) {
      bind('clock', () => ({ now: () => Date.now() }));
      const mark = (context, next) => {
        context.set('X-Ours', 'yes');
        return next();
      };
      return { healthChecks: [check], middleware: [mark] };
    },
    worker(bind) {
      bind('metrics', () => ({ count() {} }));
      return { healthChecks: [check] };
    },
  };`;

describe('npm start', () => {
  let folder: string;
  let server: RunningProgram;
  let line: string;

  /** Only one program runs at a time. */
  function start(): RunningProgram {
    server = new RunningProgram(['embedded'], { PORT: '0', EXTENSIONS: './ours.mjs' }, folder);
    return server;
  }

  async function startServing(): Promise<void> {
    line = await curl(start());
  }

  const curl = (program: RunningProgram) => program.printed(/(curl .*)\n/);
  const postmasterFile = () => readFile(join(folder, '.data/postgres/cluster/data/postmaster.pid'), 'utf8');
  const keysIn = (program: RunningProgram) => program.output.match(/brk_\w+(?=\n)/g);

  function run(line: string): Promise<Response> {
    const [, key, url] = /-H 'X-API-Key: (\S+)' '(\S+)'/.exec(line) ?? [];
    return fetch(url ?? '', { headers: { 'X-API-Key': key ?? '' } });
  }

  async function answer(): Promise<{ status: number; total: number }> {
    const response = await run(line);
    const { pagination } = (await response.json()) as { pagination: { total: number } };
    return { status: response.status, total: pagination.total };
  }

  async function newest(): Promise<{ title: string; cache: string | null }> {
    const response = await run(line);
    const { data } = (await response.json()) as { data: [{ title: string }] };
    return { title: data[0].title, cache: response.headers.get('X-Cache') };
  }

  async function edit(...args: readonly string[]) {
    const program = new RunningProgram(['demo:edit', ...args], {}, folder);
    return { code: await program.exitCode(), output: program.output };
  }

  async function archiveBlog(): Promise<void> {
    const port = (await postmasterFile()).split('\n')[3];
    const password = await readFile(join(folder, '.data/postgres/cluster/password'), 'utf8');
    await runSql(
      `postgres://postgres:${password.trim()}@127.0.0.1:${port}/dashboard`,
      `update blogs set status = 'archived' where id = (
        select blogs.id from blogs join websites on websites.id = website_id
        where status = 'published' and organization_id = (select min(id) from organizations) limit 1)`,
    );
  }

  const NOTHING_RUNS = /^No service runs in .*\.data: run `npm start` there first, and leave it running\.\n$/;

  // All tests share one folder: a start takes seconds, and each start finds what the previous ones have left.
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-start-'));
    await chmod(folder, 0o700);
    await writeFile(join(folder, 'ours.mjs'), EXTENSION);
  });

  after(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true });
  });

  it('has to run before demo:edit, which otherwise asks for it', async () => {
    const { code, output } = await edit();
    expect(code).to.equal(1);
    expect(output).to.match(NOTHING_RUNS);
  });

  it('stops cleanly during its first start', async () => {
    await start().printed(/Starting a PostgreSQL/);
    expect(await server.end('SIGINT')).to.equal(0);
  });

  it('answers the printed curl command, with one key for each organization', async () => {
    await startServing();
    const { status, total } = await answer();
    expect(status).to.equal(200);
    expect(total).to.be.greaterThan(0);
    expect(keysIn(server)).to.have.length(2);
  });

  it('reports the health of its API and of its worker, with their extensions, on one port', async () => {
    const { status, text } = await askOperators(await adminAddressOf(server), '/readyz');
    expect(status).to.equal(200);
    const { replaced, checks } = JSON.parse(text);
    expect(replaced).to.deep.equal({ Clock: 'ours', Metrics: 'ours' });
    expect((await run(line)).headers.get('X-Ours')).to.equal('yes');
    expect(checks).to.have.all.keys(
      'readDatabase',
      'migrations',
      'rights',
      'syncAge',
      'dashboard',
      'mapping',
      'changeCapture',
      'jobs',
      'unshownRows',
      'syncLag',
      'webhooks',
      'syncing',
      'ours',
    );
  });

  it('lets only the owner read the demo keys', async () => {
    const { mode } = await stat(join(folder, '.data/demo-keys.json'));
    expect(mode & 0o077).to.equal(0);
  });

  it('refuses a second start in the same folder, and names the process that runs there', async () => {
    const second = new RunningProgram(['embedded'], { PORT: '0' }, folder);
    expect(await second.exitCode()).to.equal(1);
    expect(second.output).to.contain(`already running (process ${server.pid})`);
  });

  it('shows an edit from another terminal within a moment, despite its cache', async () => {
    const before = (await newest()).title;
    expect(await newest()).to.deep.equal({ title: before, cache: 'HIT' });
    const shownNext = (title: string) =>
      eventually(async () => {
        const shown = await newest();
        expect(shown.title).to.equal(title);
        return shown;
      });

    const { code, output } = await edit();
    expect(code).to.equal(0);
    expect(output).to.contain(`"${before}" is now "${before} (edit 1)".`);
    expect(await shownNext(`${before} (edit 1)`)).to.include({ cache: 'MISS' });
    expect(output).not.to.contain('not visible');

    await edit('--title', 'A title of one’s own');
    expect(await shownNext('A title of one’s own')).to.include({ cache: 'MISS' });
    expect(await newest()).to.include({ cache: 'HIT' });
  });

  it('stops with its PostgreSQL, after which demo:edit asks for it again', async () => {
    const postmaster = Number.parseInt(await postmasterFile(), 10);
    expect(await server.end('SIGTERM')).to.equal(0);
    expect(() => process.kill(postmaster, 0)).to.throw('ESRCH');
    expect((await edit()).output).to.match(NOTHING_RUNS);
  });

  it('shows after its next start the same keys, and what was changed just before it stopped', async () => {
    const keys = keysIn(server);
    await startServing();
    expect(keysIn(server)).to.deep.equal(keys);
    const { total } = await answer();
    await archiveBlog();
    await server.end('SIGTERM');
    await startServing();
    expect((await answer()).total).to.equal(total - 1);
  });

  it('stops with its PostgreSQL when its terminal is closed', async () => {
    const postmaster = Number.parseInt(await postmasterFile(), 10);
    expect(await server.end('SIGHUP')).to.equal(0);
    expect(() => process.kill(postmaster, 0)).to.throw('ESRCH');
    await startServing();
  });

  it('starts again after it was killed', async () => {
    const keys = keysIn(server);
    await server.end('SIGKILL');
    await startServing();
    expect((await answer()).status).to.equal(200);
    expect(keysIn(server)).to.deep.equal(keys);
  });

  it('exits with a message if its PostgreSQL ends', async () => {
    process.kill(Number.parseInt(await postmasterFile(), 10), 'SIGQUIT');
    expect(await server.exitCode()).to.equal(1);
    expect(server.output).to.contain('PostgreSQL ended unexpectedly');
  });
});
