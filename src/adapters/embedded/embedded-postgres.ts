import { readFile } from 'node:fs/promises';
import {
  type Cluster,
  type ClusterOptions,
  createCluster,
  dataFolder,
  openCluster,
  prepareCluster,
} from './cluster.js';
import { connect } from './connect.js';
import { databaseUrl } from './database-url.js';
import { errorCode } from './error-code.js';
import { explained, explainedError } from './explained.js';
import { OwnerLock } from './owner-lock.js';
import { platformBinaries } from './platform-binaries.js';
import { RunFolder } from './run-folder.js';
import { serverUser } from './server-user.js';
import { type StartedServer, startServer } from './start-server.js';
import { usableBinaries } from './usable-binaries.js';

export interface EmbeddedPostgresOptions {
  /** False makes tests faster, but a power failure may destroy the data. */
  readonly durable?: boolean;
  /** The folder with PostgreSQL's bin, lib and share. Default: the one that npm installed. */
  readonly native?: string;
}

/** duplicate_database, or unique_violation if both creations ran at the same moment. */
const alreadyExistsCodes = new Set(['42P04', '23505']);

/** A private PostgreSQL on a free port of 127.0.0.1. Only one program at a time owns a folder. */
export class EmbeddedPostgres {
  /** Resolves with the reason if the server ends before `stop` is called; otherwise it never settles. */
  readonly exited: Promise<Error>;
  private stopping: Promise<void> | null = null;

  private constructor(
    private readonly server: StartedServer,
    private readonly lock: OwnerLock,
    private readonly run: RunFolder,
    log: string,
  ) {
    this.exited = new Promise((resolve) => {
      void server.process.exited.then(async () => {
        if (this.stopping !== null) return;
        await lock.release();
        const output = await readFile(log, 'utf8').catch(() => '');
        resolve(explained(`PostgreSQL ended unexpectedly. The end of its log (${log}):`, output));
      });
    });
  }

  /** `directory` is an absolute path that nothing else uses. It is created if it is missing. Rejects with a message for people. */
  static async start(directory: string, options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
    try {
      const native = options.native ?? platformBinaries();
      const user = await serverUser(dataFolder(directory));
      const run = await RunFolder.create(directory);
      try {
        const usable = await usableBinaries(native, user, run);
        return await EmbeddedPostgres.startIn(directory, run, {
          native: usable,
          user,
          durable: options.durable ?? true,
        });
      } catch (error) {
        await run.remove();
        throw error;
      }
    } catch (error) {
      throw explainedError(`The embedded PostgreSQL cannot start in ${directory}:`, error);
    }
  }

  private static async startIn(
    directory: string,
    run: RunFolder,
    options: ClusterOptions,
  ): Promise<EmbeddedPostgres> {
    const cluster = await clusterIn(directory, run, options);
    const server = await startServer(cluster, options, run.log);
    try {
      const log = await run.keepLog();
      await run.removeLeftovers();
      const lock = await OwnerLock.take(databaseUrl(server.address, 'postgres'));
      return new EmbeddedPostgres(server, lock, run, log);
    } catch (error) {
      await server.process.stop();
      throw error;
    }
  }

  urlOf(database: string): string {
    return databaseUrl(this.server.address, database);
  }

  /** Creates the database if it is missing; returns its URL. */
  async ensureDatabase(name: string): Promise<string> {
    const client = await connect(this.urlOf('postgres'));
    try {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
      if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    } catch (error) {
      if (!alreadyExistsCodes.has(errorCode(error) ?? '')) throw error;
    } finally {
      await client.end();
    }
    return this.urlOf(name);
  }

  /** Ends the open connections and waits until the server has stopped. Can be called repeatedly. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    await this.lock.release();
    await this.server.process.stop();
    await this.run.remove();
  }
}

async function clusterIn(directory: string, run: RunFolder, options: ClusterOptions): Promise<Cluster> {
  if ((await openCluster(directory)) === null) await createCluster(directory, run.path, options);
  const cluster = await openCluster(directory);
  if (cluster === null) throw new Error(`${directory} was removed while it was being filled`);
  await prepareCluster(cluster, options);
  return cluster;
}
