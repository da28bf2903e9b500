import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../src/adapters/embedded/free-port.js';
import { serverUser } from '../../src/adapters/embedded/server-user.js';
import { eventually } from './eventually.js';

const DEBIAN_VERSIONS = '/usr/lib/postgresql';
const HOW_TO_GET_ONE =
  'install the package postgresql of Debian, or name its folder of programs in POSTGRES_BIN';
const PATIENCE_MS = 30_000;
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  // As the embedded one has it: without, PREPARE TRANSACTION is refused, and nothing is tested of it.
  max_prepared_transactions: '10',
  // A power failure may cost the data of a test.
  fsync: 'off',
};

/** Where a test finds what makes a standby (`pg_basebackup` is in no package of npm); null where this computer has none. */
export async function postgresPrograms(): Promise<string | null> {
  const named = process.env.POSTGRES_BIN;
  if (named !== undefined && named !== '') return named;
  const versions = await readdir(DEBIAN_VERSIONS).catch(() => []);
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(DEBIAN_VERSIONS, newest, 'bin');
}

/** For the `before` hook of a `describe` that needs a standby: without the programs for one its tests are skipped; where CI=true they fail. */
export async function postgresProgramsForTests(context: Mocha.Context): Promise<string> {
  const found = await postgresPrograms();
  if (found !== null) return found;
  if (process.env.CI === 'true') throw new Error(`There is no PostgreSQL for a standby: ${HOW_TO_GET_ONE}`);
  return context.skip();
}

/** One server of a primary with its standby. It trusts whoever connects from this computer. */
export class PostgresNode {
  private constructor(
    private readonly programs: string,
    private readonly folder: string,
    readonly port: number,
    private readonly server: ChildProcess,
  ) {}

  static async start(programs: string): Promise<PostgresNode> {
    return PostgresNode.#start(programs, (data, run) =>
      run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']),
    );
  }

  /** A streaming standby, asynchronous, with all that this server has now. */
  async addStandby(): Promise<PostgresNode> {
    const standby = await PostgresNode.#start(this.programs, (data, run) =>
      run('pg_basebackup', [
        '-D',
        data,
        '-d',
        this.url('postgres'),
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '-N',
      ]),
    );
    await eventually(async () => {
      const state = await this.query("select from pg_stat_replication where state = 'streaming'");
      if (state.length === 0) throw new Error('The standby does not stream');
    }, PATIENCE_MS);
    return standby;
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async query(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(this.url('postgres'));
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Of a standby: it has what it has, and gets nothing any more. What the primary commits from now on is lost with the primary. */
  async stopReceiving(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''");
    await this.query('select pg_reload_conf()');
    await eventually(async () => {
      const receivers = await this.query('select from pg_stat_wal_receiver');
      if (receivers.length > 0) throw new Error('The standby still receives');
    }, PATIENCE_MS);
  }

  /** Of a standby: it is a primary, on a timeline of its own, once this resolves. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
  }

  /** As a crash ends it. It is gone for good. */
  async kill(): Promise<void> {
    if (this.server.exitCode === null && this.server.signalCode === null) {
      const exited = once(this.server, 'exit');
      this.server.kill('SIGQUIT');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  static async #start(
    programs: string,
    fill: (
      data: string,
      run: (program: string, args: readonly string[]) => Promise<unknown>,
    ) => Promise<unknown>,
  ): Promise<PostgresNode> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-standby-'));
    const user = await serverUser(join(folder, 'data'));
    if (user !== null) await chown(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const surroundings = { cwd: folder, env: { LC_ALL: 'C', PATH: process.env.PATH }, ...user };
    const run = (program: string, args: readonly string[]) =>
      promisify(execFile)(join(programs, program), [...args], surroundings);
    await fill(data, run);
    const port = await freePort();
    const settings = Object.entries({ ...SETTINGS, port, unix_socket_directories: folder });
    const args = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(join(programs, 'postgres'), ['-D', data, ...args], {
      ...surroundings,
      stdio: 'ignore',
    });
    const node = new PostgresNode(programs, folder, port, server);
    await eventually(() => node.query('select'), PATIENCE_MS);
    return node;
  }
}
