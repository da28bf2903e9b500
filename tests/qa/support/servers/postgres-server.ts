import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../../src/adapters/embedded/embedded-postgres.js';
import { readLockFile } from '../../../../src/adapters/embedded/previous-server.js';
import { pipeBothWays } from './pipe-both-ways.js';

/** A PostgreSQL of one test. It has the same port at every start. */
export class PostgresServer {
  readonly #port = createServer((client) => this.#passOn(client));
  #stopped: readonly number[] = [];

  private constructor(
    private readonly directory: string,
    private postgres: EmbeddedPostgres,
  ) {}

  static async start(): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'blog-read-api-postgres-'));
    const server = new PostgresServer(directory, await EmbeddedPostgres.start(directory));
    server.#port.listen(0, '127.0.0.1');
    await once(server.#port, 'listening');
    return server;
  }

  async createDatabase(name: string): Promise<string> {
    const url = new URL(await this.postgres.ensureDatabase(name));
    url.port = String((this.#port.address() as AddressInfo).port);
    return url.href;
  }

  /** The server keeps its connections, accepts new ones and answers none. */
  async pause(): Promise<void> {
    const client = new pg.Client(this.postgres.urlOf('postgres'));
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
    await client.end();
    this.#stopped = [await this.#pid(), ...rows.map(({ pid }) => pid)];
    this.#signalStopped('SIGSTOP');
  }

  async resume(): Promise<void> {
    this.#signalStopped('SIGCONT');
  }

  /** Kills the server as the out-of-memory killer does: unfinished work stays half done. */
  async kill(): Promise<void> {
    process.kill(await this.#pid(), 'SIGKILL');
    await this.postgres.exited;
    await this.postgres.stop();
  }

  async startAgain(): Promise<void> {
    this.postgres = await EmbeddedPostgres.start(this.directory);
  }

  /** Ends the server and deletes its data. */
  async stop(): Promise<void> {
    await this.postgres.stop();
    this.#port.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  #signalStopped(signal: NodeJS.Signals): void {
    for (const pid of this.#stopped) {
      try {
        process.kill(pid, signal);
      } catch {
        // The session ended after it was listed.
      }
    }
  }

  async #pid(): Promise<number> {
    const pid = (await readLockFile(this.directory))?.pid;
    if (!pid) throw new Error('PostgreSQL is not running');
    return pid;
  }

  #passOn(client: Socket): void {
    const server = connect(Number(new URL(this.postgres.urlOf('postgres')).port), '127.0.0.1');
    pipeBothWays(client, server);
  }
}
