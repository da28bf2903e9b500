import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { createDataFolder, dataFolder, passwordOf, pathForServer } from './data-folder.js';
import { freePort } from './free-port.js';
import { OWNER, readLockFile, stopPrevious } from './previous-server.js';
import { isAlive, removeLeftovers } from './run-folder.js';
import {
  type Installation,
  platformBinaries,
  SERVER_ENVIRONMENT,
  usableInstallation,
} from './server-programs.js';

export interface EmbeddedPostgresOptions {
  /** False makes tests faster, but a power failure may destroy the data. */
  readonly durable?: boolean;
  /** The folder with PostgreSQL's bin, lib and share. Default: the one that npm installed. */
  readonly native?: string;
}

interface Server {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly port: number;
}

/** Another program took the port or the folder in the meantime. */
const LOST_RACE =
  /Address already in use|lock file "postmaster.pid" (already exists|is empty)|shared memory block .* is still in use/;
const ATTEMPTS = 5;
const POLL_MS = 15;
const LAST_LINES = 15;
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const DUPLICATE_DATABASE = '42P04';

/** A private PostgreSQL on a free port of 127.0.0.1. Only one program at a time uses a folder. */
export class EmbeddedPostgres {
  /** Resolves with the reason if the server ends before `stop`; otherwise it never settles. */
  readonly exited: Promise<Error>;
  #stopping: Promise<void> | null = null;

  private constructor(
    directory: string,
    private readonly server: Server,
    private readonly password: string,
  ) {
    this.exited = new Promise((resolve) => {
      void server.ended.then(async () => {
        const log = await logEnd(directory);
        if (this.#stopping === null)
          resolve(new Error(`PostgreSQL ended unexpectedly. The end of its log:\n${log}`));
      });
    });
  }

  /** `directory` is an absolute path that nothing else uses. Rejects with a message for people. */
  static async start(
    directory: string,
    { durable: isDurable = true, native = platformBinaries() }: EmbeddedPostgresOptions = {},
  ): Promise<EmbeddedPostgres> {
    try {
      await mkdir(directory, { recursive: true });
      await stopPrevious(directory);
      for (const folder of [directory, tmpdir()]) await removeLeftovers(folder);
      const installation = await usableInstallation(native);
      if (!existsSync(dataFolder(directory))) await createDataFolder(directory, installation);
      const password = await passwordOf(directory);
      const server = await startServer(directory, installation, isDurable);
      return new EmbeddedPostgres(directory, server, password);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The embedded PostgreSQL cannot start in ${directory}: ${reason}`, { cause: error });
    }
  }

  urlOf(database: string): string {
    return urlOf(this.server.port, this.password, database);
  }

  /** Creates the database if it is missing; returns its URL. */
  async ensureDatabase(name: string): Promise<string> {
    const client = new Client({ connectionString: this.urlOf('postgres') });
    // Its queries fail when the server stops.
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(`create database ${client.escapeIdentifier(name)}`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_DATABASE)) throw error;
    } finally {
      await client.end();
    }
    return this.urlOf(name);
  }

  /** Ends the open connections and waits until the server has stopped. Can be called repeatedly. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** A fast shutdown. */
  async #stop(): Promise<void> {
    this.server.child.kill('SIGINT');
    await this.server.ended;
  }
}

/** The address of a database that another process runs in this folder; null: none is. */
export async function urlOfRunning(directory: string, database: string): Promise<string | null> {
  const server = await readLockFile(directory);
  if (server === null || !isAlive(server.pid)) return null;
  return urlOf(server.port, await passwordOf(directory), database);
}

async function startServer(
  directory: string,
  installation: Installation,
  isDurable: boolean,
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const stalePid = await stopPrevious(directory);
    const port = await freePort();
    const child = await spawnServer(
      directory,
      installation,
      settings(dataFolder(directory), isDurable, port),
      stalePid,
    );
    const ended = once(child, 'exit');
    // An orderly end of our process (process.exit, an uncaught error) stops it too.
    const killOnExit = () => void child.kill('SIGINT');
    process.on('exit', killOnExit);
    void ended.then(() => process.off('exit', killOnExit));
    if (await becomesReady(directory, child)) return { child, ended, port };
    const output = await logEnd(directory);
    if (attempt === ATTEMPTS || !LOST_RACE.test(output))
      throw new Error(`PostgreSQL did not start:\n${output}`);
    await pause(attempt * 200);
  }
}

/**
 * `stalePid` is that of another process in the lock file. PostgreSQL replaces the file of its own
 * grandparent, so the process is declared to be that.
 */
async function spawnServer(
  directory: string,
  { native, user }: Installation,
  options: Readonly<Record<string, unknown>>,
  stalePid: number,
): Promise<ChildProcess> {
  const data = dataFolder(directory);
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await writeFile(logOf(directory), '', { mode: 0o600 });
  // Another program that starts in this folder may write to it, too.
  const log = await open(logOf(directory), 'a');
  try {
    const child = spawn(join(native, 'bin', 'postgres'), ['-D', pathForServer(data), ...args], {
      cwd: data,
      ...user,
      stdio: ['ignore', log.fd, log.fd],
      env: { ...SERVER_ENVIRONMENT, PG_GRANDPARENT_PID: String(stalePid) },
      // In a session without our Ctrl-C.
      detached: true,
    });
    await once(child, 'spawn');
    return child;
  } finally {
    await log.close();
  }
}

/** Whether the server accepts connections. Crash recovery may take long; false: it has ended. */
async function becomesReady(directory: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const file = await readLockFile(directory);
    if (file?.pid === child.pid && file?.status === 'ready') return true;
    await pause(POLL_MS);
  }
  return false;
}

/** On the command line, so that they also apply to existing data, and another run can read them. */
function settings(data: string, isDurable: boolean, port: number): Readonly<Record<string, unknown>> {
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    max_prepared_transactions: 10,
    shared_buffers: '64MB',
    max_wal_size: '256MB',
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    ...(isDurable ? {} : NOT_DURABLE),
    [OWNER]: `${process.pid}:${data}`,
  };
}

/** node-postgres decodes the name with `decodeURI`; without `sslmode`, PGSSLMODE would apply. */
function urlOf(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURI(database)}?sslmode=disable`;
}

function logOf(directory: string): string {
  return join(directory, 'postgres.log');
}

async function logEnd(directory: string): Promise<string> {
  const log = await readFile(logOf(directory), 'utf8').catch(() => '');
  return log.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}
