import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { rewind } from './rewind.js';

const USER = 'test';
/** An attempt takes about a second if its port is in use. */
const STARTS = 30;
/** Test data does not have to survive a power failure. */
const NOT_DURABLE = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
  '--innodb-log-file-size=16M',
];

export interface MariaDbPrograms {
  readonly server: string;
  readonly install: string;
}

/** A MariaDB of one test. It has the same port at every start. */
export class MariaDbServer {
  readonly #password = randomUUID();
  readonly #killOnExit = () => this.#signal('SIGKILL');
  #process: ChildProcess | null = null;
  #startedAt: number | null = null;

  private constructor(
    private readonly programs: MariaDbPrograms,
    private readonly folder: string,
    private readonly port: number,
    private readonly settings: readonly string[],
  ) {}

  /** The settings are options of mariadbd. */
  static async start(programs: MariaDbPrograms, settings: readonly string[] = []): Promise<MariaDbServer> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-mariadb-'));
    const server = new MariaDbServer(programs, folder, await freePort(), settings);
    try {
      await server.#makeData();
      await server.startAgain();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The URL for a user with all rights. */
  urlOf(database: string): string {
    return `mysql://${USER}:${this.#password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Returns the URL of the new database. */
  createDatabase(name: string, collation?: string): Promise<string> {
    return createDatabaseAt(this.urlOf(name), collation);
  }

  /** The server keeps its connections, accepts new ones and answers none. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  /** Kills the server as the out-of-memory killer does: unfinished work stays half done. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    this.#process = null;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    if (!hasEnded(child)) await exited;
  }

  /**
   * While the server was down, another process may have used its port for an outgoing connection. `uuid_short()`
   * begins with the second of the start: a server that starts twice in one second would repeat ids, which no server
   * in production does.
   */
  async startAgain(): Promise<void> {
    await eventually(() => {
      if (secondNow() === this.#startedAt) throw new Error('The second of the last start is not over');
    });
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#startOnce();
      } catch (error) {
        if (attempt === STARTS || !String(error).includes('Address already in use')) throw error;
      }
    }
  }

  /** Starts the server from its disk as it was before the work. */
  rewind(work: () => Promise<void>): Promise<void> {
    return rewind(this, join(this.folder, 'data'), work);
  }

  async #startOnce(): Promise<void> {
    const log = await open(join(this.folder, 'log'), 'w');
    const child = spawn(this.programs.server, [...this.#options(), ...this.#listening()], {
      // Only the tests receive a Ctrl-C of the terminal; they then end the server.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    this.#process = child;
    process.on('exit', this.#killOnExit);
    child.on('exit', () => process.off('exit', this.#killOnExit));
    await once(child, 'spawn').finally(() => log.close());
    await this.#takesConnections(child);
    this.#startedAt = secondNow();
  }

  /** Ends the server and deletes its data. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #makeData(): Promise<void> {
    const user = `grant all on *.* to ${USER}@'%' identified by '${this.#password}' with grant option;\n`;
    await writeFile(this.#users(), user);
    await promisify(execFile)(this.programs.install, [...this.#options(), '--skip-test-db']);
  }

  #users(): string {
    return join(this.folder, 'users.sql');
  }

  #options(): readonly string[] {
    // mariadbd runs as root only with this option.
    const user = process.getuid?.() === 0 ? ['--user=root'] : [];
    return [
      '--no-defaults',
      `--datadir=${join(this.folder, 'data')}`,
      `--tmpdir=${this.folder}`,
      ...user,
      ...NOT_DURABLE,
    ];
  }

  #listening(): readonly string[] {
    const socket = join(this.folder, 'socket');
    const address = ['--bind-address=127.0.0.1', `--port=${this.port}`, `--socket=${socket}`];
    return [...address, `--init-file=${this.#users()}`, '--skip-name-resolve', ...this.settings];
  }

  async #takesConnections(child: ChildProcess): Promise<void> {
    const isListening = await eventually(async () => {
      if (hasEnded(child)) return false;
      const client = await mysql.createConnection(this.urlOf('mysql'));
      await client.end();
      return true;
    });
    if (!isListening) {
      throw new Error(`MariaDB did not start:\n${await readFile(join(this.folder, 'log'), 'utf8')}`);
    }
  }

  #signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }
}

/** Creates the database that the URL names, and returns the URL. */
export async function createDatabaseAt(url: string, collation = 'utf8mb4_general_ci'): Promise<string> {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/mysql';
  const client = await mysql.createConnection(server.href);
  await client.query(`create database ${name} collate ${collation}`).finally(() => client.end());
  return url;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function secondNow(): number {
  return Math.floor(Date.now() / 1_000);
}
