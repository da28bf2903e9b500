import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { codeOf } from '../../domain/policies/reason-of.js';
import { createDataFolder, dataFolder, passwordOf, pathForServer } from './data-folder.js';
import { freePort } from './free-port.js';
import { lockHolder, OWNER, readLockFile } from './previous-server.js';
import { isAlive, removeLeftovers, send } from './run-folder.js';
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
const LOG = 'postgres.log';
const LOG_FLAGS = constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND | constants.O_TRUNC;
const RETRIED_FOR_MS = 10_000;
const POLL_MS = 30;
const LAST_LINES = 15;
const NOT_DURABLE = ['--fsync=off', '--synchronous_commit=off', '--full_page_writes=off'];
const DUPLICATE_DATABASE = '42P04';

/** A private PostgreSQL on a free port of 127.0.0.1. Only one program at a time uses a folder. */
export class EmbeddedPostgres {
  /** Resolves with the reason if the server ends before `stop`; otherwise it never settles. */
  readonly exited: Promise<Error>;
  #isStopping = false;

  private constructor(
    directory: string,
    private readonly server: Server,
    private readonly password: string,
  ) {
    this.exited = new Promise((resolve) => {
      void server.ended.then(async () => {
        const log = await logEnd(directory);
        if (!this.#isStopping)
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
      const installation = await usableInstallation(native);
      if (!existsSync(dataFolder(directory))) await createDataFolder(directory, installation);
      const password = await passwordOf(directory);
      const server = await launch(directory, installation, isDurable);
      // The server of a killed run no longer uses them.
      for (const folder of [directory, tmpdir()]) await removeLeftovers(folder);
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
      if (codeOf(error) !== DUPLICATE_DATABASE) throw error;
    } finally {
      await client.end();
    }
    return this.urlOf(name);
  }

  /** Ends the open connections and waits until the server has stopped. Can be called repeatedly. */
  async stop(): Promise<void> {
    this.#isStopping = true;
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

/** Tries again while a previous server ends or another program is faster. */
async function launch(directory: string, installation: Installation, isDurable: boolean): Promise<Server> {
  const lastAt = performance.now() + RETRIED_FOR_MS;
  for (;;) {
    const holder = await lockHolder(directory);
    const owner = holder?.owner ?? null;
    if (owner !== null && isAlive(owner))
      throw new Error(
        `it is already running (process ${owner}). Stop that program first, or start this one in another working directory.`,
      );
    if (holder !== null && owner !== null) {
      if (performance.now() > lastAt)
        throw new Error(
          `the PostgreSQL of a killed run (process ${holder.pid}) does not end. End it, then start again.`,
        );
      send('SIGINT', holder.pid);
    } else {
      const server = await spawnServer(directory, installation, isDurable, holder?.pid ?? 0);
      if (await becomesReady(directory, server.child)) return server;
      const log = await logEnd(directory);
      if (performance.now() > lastAt || !LOST_RACE.test(log))
        throw new Error(`PostgreSQL did not start:\n${log}`);
    }
    await pause(POLL_MS);
  }
}

/**
 * `stalePid` is that of another process in the lock file. PostgreSQL replaces the file of its own
 * grandparent, so the process is declared to be that.
 */
async function spawnServer(
  directory: string,
  { native, user }: Installation,
  isDurable: boolean,
  stalePid: number,
): Promise<Server> {
  const data = dataFolder(directory);
  const port = await freePort();
  const args = [
    `--port=${port}`,
    '--listen_addresses=127.0.0.1',
    '--unix_socket_directories=',
    '--max_prepared_transactions=10',
    '--shared_buffers=64MB',
    '--max_wal_size=256MB',
    '--timezone=UTC',
    ...(isDurable ? [] : NOT_DURABLE),
    `${OWNER}${process.pid}:${data}`,
  ];
  // Another program that starts in this folder may write to it, too.
  const log = await open(join(directory, LOG), LOG_FLAGS, 0o600);
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
    const ended = once(child, 'exit');
    // An orderly end of our process (process.exit, an uncaught error) stops it too.
    const killOnExit = () => void child.kill('SIGINT');
    process.on('exit', killOnExit);
    void ended.then(() => process.off('exit', killOnExit));
    return { child, ended, port };
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

/** node-postgres decodes the name with `decodeURI`; without `sslmode`, PGSSLMODE would apply. */
function urlOf(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURI(database)}?sslmode=disable`;
}

async function logEnd(directory: string): Promise<string> {
  const log = await readFile(join(directory, LOG), 'utf8').catch(() => '');
  return log.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}
