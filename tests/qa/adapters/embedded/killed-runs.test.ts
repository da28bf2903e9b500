import { execFile } from 'node:child_process';
import { mkdir, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { EmbeddedPostgres } from '../../../../src/adapters/embedded/embedded-postgres.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import {
  cleanUp,
  exists,
  failure,
  isGone,
  killPrograms,
  Program,
  serverPid,
  temporaryFolder,
} from './support.js';

const fast = { durable: false };

describe('the embedded PostgreSQL, next to other runs,', () => {
  let directory: string;
  const running: EmbeddedPostgres[] = [];

  before(async () => {
    directory = join(await temporaryFolder(), 'postgres');
  });

  afterEach(async () => {
    for (const postgres of running.splice(0)) await postgres.stop();
    await killPrograms();
  });

  after(cleanUp);

  async function start(folder = directory): Promise<EmbeddedPostgres> {
    const postgres = await EmbeddedPostgres.start(folder, fast);
    running.push(postgres);
    return postgres;
  }

  async function leftBy({ pid }: Program, folder: string): Promise<string[]> {
    return (await readdir(folder)).filter((name) => name.startsWith(`blog-content-run-${pid}-`));
  }

  async function isUsable(postgres: EmbeddedPostgres): Promise<void> {
    expect(await runSql(postgres.urlOf('postgres'), 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  }

  it('ends the server of a killed program, and continues with its data', async () => {
    const killed = Program.run(directory);
    const { url } = await killed.next();
    await runSql(url, 'drop table if exists kept; create table kept as select 42 as answer');
    const orphan = await serverPid(directory);
    await killed.kill();
    expect(exists(orphan)).to.equal(true);

    const postgres = await start();

    await isGone(orphan);
    expect(await runSql(postgres.urlOf('postgres'), 'select answer from kept')).to.deep.equal([
      { answer: 42 },
    ]);
    expect(await leftBy(killed, directory)).to.deep.equal([]);
  });

  it('refuses a folder whose program is running, and names its process', async () => {
    const first = Program.run(directory);
    const { url } = await first.next();

    const error = await failure(start());

    expect(error.message).to.include(`already running (process ${first.pid})`);
    expect(await runSql(url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('lets exactly one of two programs use an empty folder', async () => {
    const empty = join(await temporaryFolder(), 'postgres');

    const events = await Promise.all([1, 2].map(() => Program.run(empty).next()));

    expect(events.map(({ event }) => event).sort()).to.deep.equal(['refused', 'started']);
    for (const { message } of events.filter(({ event }) => event === 'refused')) {
      expect(message).to.include('already running');
    }
  });

  it('lets exactly one of three programs take over from a killed one', async () => {
    const killed = Program.run(directory);
    await killed.next();
    await killed.kill();

    const events = await Promise.all([1, 2, 3].map(() => Program.run(directory).next()));

    expect(events.map(({ event }) => event).sort()).to.deep.equal(['refused', 'refused', 'started']);
  });

  it('survives a Ctrl-C in the terminal until its program stops it', async () => {
    const program = Program.run(directory);
    await program.next();
    const server = await serverPid(directory);

    process.kill(-program.pid, 'SIGINT');

    expect((await program.next()).event).to.equal('used');
    expect((await program.next()).event).to.equal('stopped');
    expect(exists(server)).to.equal(false);
    await eventually(() => expect(program.process.exitCode).to.equal(0));
  });

  it('starts after a run that was killed while it created the data', async () => {
    const empty = join(await temporaryFolder(), 'postgres');
    const killed = Program.run(empty);
    await eventually(async () => {
      const names = await readdir(empty, { recursive: true }).catch(() => []);
      expect(names.some((name) => name.endsWith('data/base'))).to.equal(true);
    });
    await killed.kill();
    expect(await readdir(empty)).to.not.include('cluster');

    await isUsable(await start(empty));

    expect(await leftBy(killed, empty)).to.deep.equal([]);
  });

  it('removes the copy of the binaries that a killed run left, and none of a run that continues', async () => {
    const copyOf = (pid: number) => join(tmpdir(), `blog-content-run-${pid}-copy`);
    const [left, used] = [copyOf(4_000_000), copyOf(process.ppid)];
    for (const folder of [left, used]) await mkdir(folder, { recursive: true });

    await start();

    expect((await failure(stat(left))).message).to.include('ENOENT');
    expect((await stat(used)).isDirectory()).to.equal(true);
    await rmdir(used);
  });

  describe('with an invalid postmaster.pid', () => {
    function lockFile(folder = directory): string {
      return join(folder, 'cluster', 'data', 'postmaster.pid');
    }

    it('starts even if its process id now belongs to another program', async () => {
      await (await start()).stop();
      await writeFile(
        lockFile(),
        `${process.pid}\n/proc/self/cwd\n1700000000\n5432\n\n127.0.0.1\n  1 2\nready   \n`,
      );

      await isUsable(await start());
    });

    it('starts in a copy of a folder that is in use, and does not affect the original', async () => {
      const original = await start();
      await runSql(original.urlOf('postgres'), 'checkpoint');
      const copy = join(directory, '..', 'copy');
      await mkdir(copy);
      await promisify(execFile)('cp', ['-a', join(directory, 'cluster'), copy]);

      const second = await start(copy);

      expect(second.urlOf('postgres')).to.not.equal(original.urlOf('postgres'));
      await isUsable(original);
      await isUsable(second);
    });
  });
});
