import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { EmbeddedPostgres } from '../../../../src/adapters/embedded/embedded-postgres.js';
import { platformBinaries } from '../../../../src/adapters/embedded/server-programs.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { cleanUp, failure, serverPid, temporaryFolder } from './support.js';

const fast = { durable: false };

describe('the embedded PostgreSQL', () => {
  let directory: string;
  let postgres: EmbeddedPostgres | null = null;

  before(async () => {
    directory = join(await temporaryFolder(), 'postgres');
  });

  afterEach(async () => {
    await postgres?.stop();
    postgres = null;
  });

  after(cleanUp);

  async function start(folder = directory): Promise<EmbeddedPostgres> {
    postgres = await EmbeddedPostgres.start(folder, fast);
    return postgres;
  }

  /** Runs `action` while a file of the data folder has other contents. */
  async function withFile<T>(name: string, contents: string, action: () => Promise<T>): Promise<T> {
    const path = join(directory, 'cluster', 'data', name);
    const saved = await readFile(path);
    await writeFile(path, contents);
    try {
      return await action();
    } finally {
      await writeFile(path, saved);
    }
  }

  it('starts in an empty folder and keeps the data across a restart', async () => {
    const before = await (await start()).ensureDatabase('content');
    await runSql(before, "create table kept as select 'школа' as word");
    await postgres?.stop();

    const after = await (await start()).ensureDatabase('content');

    expect(await runSql(after, 'select word from kept')).to.deep.equal([{ word: 'школа' }]);
  });

  it('writes data durably to disk', async () => {
    postgres = await EmbeddedPostgres.start(directory);

    const settings = await runSql(
      postgres.urlOf('postgres'),
      "select setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')",
    );

    expect(settings).to.deep.equal([{ setting: 'on' }, { setting: 'on' }, { setting: 'on' }]);
  });

  it('listens on 127.0.0.1 only, and requires the password', async () => {
    const url = new URL((await start()).urlOf('postgres'));
    const [row] = await runSql(
      url.href,
      "select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets",
    );
    const elsewhere = connectSocket(Number(url.port), '::1');
    const refusal = await new Promise<NodeJS.ErrnoException>((resolve) => elsewhere.once('error', resolve));
    url.password = 'guessed';

    expect(row).to.deep.equal({ addresses: '127.0.0.1', sockets: '' });
    expect(refusal.code).to.be.oneOf(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);
    expect((await failure(runSql(url.href, 'select 1'))).message).to.include(
      'password authentication failed',
    );
  });

  it('leaves the data, a password that only its owner can read, and the log of the last run', async () => {
    await (await start()).stop();
    await (await start()).stop();

    expect(await readdir(directory)).to.have.members(['cluster', 'postgres.log']);
    expect(await readdir(join(directory, 'cluster'))).to.have.members(['data', 'password']);
    expect((await stat(join(directory, 'cluster', 'password'))).mode & 0o777).to.equal(0o600);
    const log = await readFile(join(directory, 'postgres.log'), 'utf8');
    expect(log.match(/ready to accept connections/g)).to.have.length(1);
  });

  it('ignores environment variables that are meant for another PostgreSQL', async () => {
    const foreign = {
      PGDATA: '/nowhere',
      PGPORT: '1',
      PGSSLMODE: 'require',
      PGUSER: 'somebody',
      LC_ALL: 'xx_XX',
    };
    const saved = Object.fromEntries(Object.keys(foreign).map((name) => [name, process.env[name]]));
    Object.assign(process.env, foreign);
    try {
      const url = await (await start()).ensureDatabase('content');

      expect(await runSql(url, 'select current_user as name')).to.deep.equal([{ name: 'postgres' }]);
    } finally {
      for (const [name, value] of Object.entries(saved)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it('reports that the server ended unexpectedly, and can then be stopped and started', async () => {
    const running = await start();
    process.kill(await serverPid(directory), 'SIGQUIT');

    const error = await running.exited;
    await running.stop();

    expect(error.message).to.match(/ended unexpectedly.*received immediate shutdown request/s);
    expect(await runSql((await start()).urlOf('postgres'), 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('reports the output of a server that does not start, and leaves nothing behind', async () => {
    const error = await failure(withFile('postgresql.conf', 'no_such_setting = 1\n', () => start()));

    expect(error.message).to.include('unrecognized configuration parameter "no_such_setting"');
    expect(await readdir(directory)).to.have.members(['cluster', 'postgres.log']);
  });

  it('names the missing package if there is none for the platform', () => {
    expect(() => platformBinaries('plan9-mips')).to.throw(
      /@embedded-postgres\/plan9-mips is missing.*commands "api" and "sync"/,
    );
  });
});
