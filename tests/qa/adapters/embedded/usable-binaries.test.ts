import { once } from 'node:events';
import { chmod, cp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { EmbeddedPostgres } from '../../../../src/adapters/embedded/embedded-postgres.js';
import { platformBinaries } from '../../../../src/adapters/embedded/server-programs.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { skipWithout } from '../../../support/run-notes.js';
import { cleanUp, failure, Program, temporaryFolder } from './support.js';

describe('the binaries of the embedded PostgreSQL', () => {
  let folder: string;
  let native: string;
  let postgres: EmbeddedPostgres | null = null;
  /** A folder for copies, because other tests make copies at the same time. */
  let place: string;
  const usualPlace = process.env.TMPDIR;

  before(async () => {
    folder = await temporaryFolder();
    native = join(folder, 'native');
    place = await temporaryFolder();
    await chmod(place, 0o755);
    process.env.TMPDIR = place;
    await cp(dirname(platformBinaries()), folder, { recursive: true, verbatimSymlinks: true });
  });

  afterEach(async () => {
    await postgres?.stop();
    postgres = null;
  });

  after(async () => {
    if (usualPlace === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usualPlace;
    await cleanUp();
  });

  async function start(): Promise<EmbeddedPostgres> {
    postgres = await EmbeddedPostgres.start(join(folder, 'postgres'), { durable: false, native });
    return postgres;
  }

  async function links(): Promise<string[]> {
    const all: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
    return all.map(({ target }) => join(folder, target));
  }

  /** Leaves the package as npm unpacks it if it runs no install scripts. */
  async function removeLinks(): Promise<void> {
    for (const link of await links()) await rm(link, { force: true });
  }

  async function copies(): Promise<string[]> {
    return (await readdir(place)).filter((name) => name.startsWith('blog-content-run-'));
  }

  it('get the links that npm did not create', async () => {
    await removeLinks();

    await start();

    for (const link of await links()) expect((await stat(link)).isFile()).to.equal(true);
    expect(await copies()).to.deep.equal([]);
  });

  it('are copied for the duration of the run if only root can enter the folder; the next run removes the copy of a killed one', async function () {
    if (process.getuid?.() !== 0) skipWithout(this, 'root');
    const directory = join(folder, 'postgres');
    await rm(directory, { recursive: true, force: true });
    await chmod(folder, 0o700);

    const killed = Program.run(directory, { durable: false, native });
    expect((await killed.next()).event).to.equal('started');
    expect((await stat(join(directory, 'cluster', 'data'))).uid).to.not.equal(0);
    await killed.kill();
    const [left = 'none'] = await copies();
    const running = Program.run(directory, { durable: false, native });
    const { url } = await running.next();

    expect((await failure(stat(join(place, left)))).message).to.include('ENOENT');
    expect(await runSql(url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    expect(await copies()).to.have.length(1);
    running.process.kill('SIGINT');
    await once(running.process, 'exit');
    expect(await copies()).to.deep.equal([]);
  });
});
