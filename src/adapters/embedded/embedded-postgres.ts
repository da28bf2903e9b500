import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster, openCluster } from './cluster.js';
import { freePort } from './free-port.js';
import { isAlive, readLockFile } from './lock-file.js';
import { OWNER, stopPrevious } from './previous-server.js';
import { RunFolder } from './run-folder.js';
import { ServerProcess } from './server-process.js';
import { serverUser } from './server-user.js';
import { platformBinaries, usableBinaries } from './usable-binaries.js';

export interface EmbeddedPostgresOptions {
  /** False makes tests faster, but a power failure may destroy the data. */
  readonly durable?: boolean;
  /** The folder with PostgreSQL's bin, lib and share. Default: the one that npm installed. */
  readonly native?: string;
}

/** Another program took the port or the folder in the meantime. */
const LOST_RACE =
  /Address already in use|lock file "postmaster.pid" (already exists|is empty)|shared memory block .* is still in use/;
const ATTEMPTS = 5;
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
/** duplicate_database, or unique_violation if both creations ran at the same moment. */
const ALREADY_EXISTS = ['42P04', '23505'];

/** A private PostgreSQL on a free port of 127.0.0.1. Only one program at a time uses a folder. */
export class EmbeddedPostgres {
  /** Resolves with the reason if the server ends before `stop` is called; otherwise it never settles. */
  readonly exited: Promise<Error>;
  #stopping: Promise<void> | null = null;

  private constructor(
    private readonly server: ServerProcess,
    private readonly port: number,
    private readonly password: string,
    private readonly run: RunFolder,
  ) {
    this.exited = new Promise((resolve) => {
      void server.exited.then(async () => {
        if (this.#stopping === null)
          resolve(new Error(`PostgreSQL ended unexpectedly. The end of its log:\n${await server.logEnd()}`));
      });
    });
  }

  /** `directory` is an absolute path that nothing else uses. Rejects with a message for people. */
  static async start(
    directory: string,
    { durable = true, native }: EmbeddedPostgresOptions = {},
  ): Promise<EmbeddedPostgres> {
    try {
      const binaries = native ?? platformBinaries();
      await stopPrevious(directory);
      const user = await serverUser(directory);
      const run = await RunFolder.create(directory);
      try {
        const usable = await usableBinaries(binaries, user, run);
        const cluster = await openCluster(directory, run.path, { native: usable, user, durable });
        const [server, port] = await startServer(directory, run.path, cluster, durable);
        await server.keepLog();
        await run.removeLeftovers();
        return new EmbeddedPostgres(server, port, cluster.password, run);
      } catch (error) {
        await run.remove();
        throw error;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The embedded PostgreSQL cannot start in ${directory}: ${reason}${advice(reason)}`, {
        cause: error,
      });
    }
  }

  urlOf(database: string): string {
    return urlOf(this.port, this.password, database);
  }

  /** Creates the database if it is missing; returns its URL. */
  async ensureDatabase(name: string): Promise<string> {
    const client = new Client({ connectionString: this.urlOf('postgres') });
    // Its queries fail when the server stops.
    client.on('error', () => {});
    await client.connect();
    try {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
      if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && ALREADY_EXISTS.includes(String(error.code))))
        throw error;
    } finally {
      await client.end();
    }
    return this.urlOf(name);
  }

  /** Ends the open connections and waits until the server has stopped. Can be called repeatedly. */
  stop(): Promise<void> {
    this.#stopping ??= this.server.stop().then(() => this.run.remove());
    return this.#stopping;
  }
}

/** The address of a database in the PostgreSQL that another process runs in this folder; null: none is. */
export async function urlOfRunning(directory: string, database: string): Promise<string | null> {
  const server = await readLockFile(directory);
  if (server === null || !isAlive(server.pid)) return null;
  return urlOf(server.port, await readFile(join(directory, 'cluster', 'password'), 'utf8'), database);
}

async function startServer(
  directory: string,
  workFolder: string,
  cluster: Cluster,
  durable: boolean,
): Promise<readonly [ServerProcess, number]> {
  for (let attempt = 1; ; attempt++) {
    const stalePid = await stopPrevious(directory);
    const port = await freePort();
    const server = await ServerProcess.start(
      directory,
      workFolder,
      cluster,
      settings(cluster, port, durable),
      stalePid,
    );
    if (await server.becomesReady()) return [server, port];
    await server.stop();
    const output = await server.logEnd();
    if (attempt === ATTEMPTS || !LOST_RACE.test(output))
      throw new Error(`PostgreSQL did not start:\n${output}`);
    await pause(attempt * 200);
  }
}

/** On the command line, so that they also apply to existing data, and another run can read them. */
function settings({ data }: Cluster, port: number, durable: boolean): Readonly<Record<string, unknown>> {
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
    ...(durable ? {} : NOT_DURABLE),
    [OWNER]: `${process.pid}:${data}`,
  };
}

/** node-postgres decodes the name with `decodeURI`. PGSSLMODE in the environment would apply without `sslmode`. */
function urlOf(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURI(database)}?sslmode=disable`;
}

function advice(reason: string): string {
  if (/No space left|ENOSPC|EDQUOT/.test(reason))
    return '\nThe disk is full: free some space, then start again.';
  if (/EACCES|EPERM|EROFS|Permission denied/.test(reason))
    return '\nMake sure that the folder belongs to the user who starts the program, or start it in another one.';
  return '';
}
