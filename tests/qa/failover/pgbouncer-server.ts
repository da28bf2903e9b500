import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { findProgram } from '../../support/find-program.js';
import { noteUse, skipUnlessCi } from '../../support/run-notes.js';

const SAMPLE = new URL('../../../docs/operations/pgbouncer.ini', import.meta.url);
const DATABASE = 'content_read';
/** PgBouncer refuses to run as root. */
const USER = 'postgres';

/** A PgBouncer of one test, with the configuration from docs/operations. */
export class PgBouncerServer {
  private constructor(
    readonly url: string,
    private readonly process: ReturnType<typeof spawn>,
    private readonly folder: string,
  ) {}

  static async before(
    program: string,
    databaseUrl: string,
    mode: 'transaction' | 'session' = 'transaction',
  ): Promise<PgBouncerServer> {
    const database = new URL(databaseUrl);
    const { username, password } = database;
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-pgbouncer-'));
    const port = await freePort();
    const sample = await readFile(SAMPLE, 'utf8');
    const settings = sample
      .replace(
        /^content_read = .*$/m,
        `content_read = host=${database.hostname} port=${database.port} dbname=${database.pathname.slice(1)}`,
      )
      .replace(/^listen_port = .*$/m, `listen_port = ${port}\nunix_socket_dir =\nadmin_users = ${username}`)
      .replace(/^pool_mode = .*$/m, `pool_mode = ${mode}`)
      .replace(/^auth_file = .*$/m, `auth_file = ${join(folder, 'userlist.txt')}`);
    await writeFile(join(folder, 'pgbouncer.ini'), settings);
    await writeFile(join(folder, 'userlist.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
    await chmod(folder, 0o755);
    const asUser = process.getuid?.() === 0 ? ['-u', USER] : [];
    const child = spawn(program, [...asUser, join(folder, 'pgbouncer.ini')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = new URL(databaseUrl);
    url.port = String(port);
    url.hostname = '127.0.0.1';
    url.pathname = `/${DATABASE}`;
    const server = new PgBouncerServer(url.href, child, folder);
    await eventually(() => server.#ask('select 1', DATABASE));
    return server;
  }

  /** Replaces its connections to PostgreSQL: settings of the old ones do not apply to the new ones. */
  reconnect(): Promise<void> {
    return this.#ask('reconnect', 'pgbouncer');
  }

  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    if (this.process.exitCode === null) await once(this.process, 'exit');
    await rm(this.folder, { recursive: true, force: true });
  }

  async #ask(sql: string, database: string): Promise<void> {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    const client = new pg.Client(url.href);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }
}

/**
 * For the `before` hook of a `describe` that needs a real PgBouncer: returns the path of the program. Without one its
 * tests are skipped.
 */
export async function pgBouncerForTests(context: Mocha.Context): Promise<string> {
  const program = findProgram('pgbouncer');
  if (program === null) return skipUnlessCi(context, 'PgBouncer (install pgbouncer)');
  noteUse('PgBouncer', program);
  return program;
}
