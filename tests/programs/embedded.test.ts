import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { RunningProgram } from '../support/program.js';

describe('npm start', function () {
  this.timeout(60_000);
  let folder: string;
  const running: RunningProgram[] = [];

  function start(): RunningProgram {
    const program = new RunningProgram(['embedded'], { PORT: '0' }, folder);
    running.push(program);
    return program;
  }

  const curl = (program: RunningProgram) => program.printed(/(curl .*)\n/);
  const keysIn = (program: RunningProgram) => program.output.match(/brk_\w+(?=\n)/g);

  function run(line: string): Promise<Response> {
    const [, key, url] = /-H 'X-API-Key: (\S+)' '(\S+)'/.exec(line) ?? [];
    return fetch(url ?? '', { headers: { 'X-API-Key': key ?? '' } });
  }

  async function answer(line: string): Promise<{ status: number; total: number }> {
    const response = await run(line);
    const { pagination } = (await response.json()) as { pagination: { total: number } };
    return { status: response.status, total: pagination.total };
  }

  async function newest(line: string): Promise<{ title: string; cache: string | null }> {
    const response = await run(line);
    const { data } = (await response.json()) as { data: [{ title: string }] };
    return { title: data[0].title, cache: response.headers.get('X-Cache') };
  }

  async function edit(...args: readonly string[]) {
    const program = new RunningProgram(['demo:edit', ...args], {}, folder);
    return { code: await program.exitCode(), output: program.output };
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-start-'));
    await chmod(folder, 0o700);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((program) => program.end('SIGTERM')));
    await rm(folder, { recursive: true });
  });

  it('answers the printed curl, shows the same keys on every start, and stops with its PostgreSQL', async () => {
    const first = start();
    const line = await curl(first);
    const { status, total } = await answer(line);
    expect(status).to.equal(200);
    expect(total).to.be.greaterThan(0);
    const keys = keysIn(first);
    expect(keys).to.have.length(2);

    const postmaster = await readFile(join(folder, '.data/postgres/cluster/data/postmaster.pid'), 'utf8');
    expect(await first.end('SIGTERM')).to.equal(0);
    expect(() => process.kill(Number.parseInt(postmaster, 10), 0)).to.throw('ESRCH');

    const second = start();
    expect(await answer(await curl(second))).to.deep.equal({ status, total });
    expect(keysIn(second)).to.deep.equal(keys);
    expect(await second.end('SIGINT')).to.equal(0);
  });

  it('keeps the demo keys for the eyes of their owner', async () => {
    await curl(start());
    const { mode } = await stat(join(folder, '.data/demo-keys.json'));
    expect(mode & 0o077).to.equal(0);
  });

  it('starts again after it was killed', async () => {
    const killed = start();
    const line = await curl(killed);
    const keys = keysIn(killed);
    await killed.end('SIGKILL');

    const next = start();
    expect((await answer(await curl(next))).status).to.equal(200);
    expect(keysIn(next)).to.deep.equal(keys);
    expect(line).to.contain('brk_');
  });

  it('stops cleanly also while it is still starting', async () => {
    const program = start();
    await program.printed(/Starting a PostgreSQL/);
    expect(await program.end('SIGINT')).to.equal(0);
    expect((await answer(await curl(start()))).status).to.equal(200);
  });

  it('refuses a second start in the same folder, and says who holds it', async () => {
    await curl(start());
    const second = start();
    expect(await second.exitCode()).to.equal(1);
    expect(second.output).to.match(/already running \(process \d+\)/);
  });

  it('says so and ends when its PostgreSQL is gone', async () => {
    const program = start();
    await curl(program);
    const postmaster = await readFile(join(folder, '.data/postgres/cluster/data/postmaster.pid'), 'utf8');
    process.kill(Number.parseInt(postmaster, 10), 'SIGQUIT');
    expect(await program.exitCode()).to.equal(1);
    expect(program.output).to.contain('PostgreSQL ended unexpectedly');
  });

  it('shows an edit from another terminal within a moment, through its cache', async () => {
    const line = await curl(start());
    const before = (await newest(line)).title;
    expect(await newest(line)).to.deep.equal({ title: before, cache: 'HIT' });
    const shownNext = (title: string) =>
      eventually(async () => {
        const shown = await newest(line);
        expect(shown.title).to.equal(title);
        return shown;
      });

    const { code, output } = await edit();
    expect(code).to.equal(0);
    expect(output).to.contain(`"${before}" is now "${before} (edit 1)".`);
    expect(await shownNext(`${before} (edit 1)`)).to.include({ cache: 'MISS' });

    await edit('--title', 'A title of one’s own');
    expect(await shownNext('A title of one’s own')).to.include({ cache: 'MISS' });
    expect(await newest(line)).to.include({ cache: 'HIT' });
  });

  it('is what an edit asks for where it was never run, or runs no more', async () => {
    const neverRun = await edit();
    const server = start();
    await curl(server);
    await server.end('SIGTERM');
    for (const { code, output } of [neverRun, await edit()]) {
      expect(code).to.equal(1);
      expect(output).to.match(
        /^Nothing runs in .*\.data: run `npm start` there first, and leave it running\.\n$/,
      );
    }
  });

  it('shows on its next start what was changed just before it stopped', async () => {
    const first = start();
    const { total } = await answer(await curl(first));
    const database = await readFile(join(folder, '.data/postgres/cluster/data/postmaster.pid'), 'utf8');
    const password = (await readFile(join(folder, '.data/postgres/cluster/password'), 'utf8')).trim();
    const port = Number(database.split('\n')[3]);
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password,
      database: 'dashboard',
    });
    await client.connect();
    await client.query(`
      update blogs set status = 'archived' where id = (
        select blogs.id from blogs join websites on websites.id = website_id
        where status = 'published' and organization_id = (select min(id) from organizations) limit 1)`);
    await client.end();
    await first.end('SIGTERM');
    expect((await answer(await curl(start()))).total).to.equal(total - 1);
  });
});
