import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { dataFolder } from '../../../../src/adapters/embedded/data-folder.js';
import { EmbeddedPostgres } from '../../../../src/adapters/embedded/embedded-postgres.js';
import { readLockFile } from '../../../../src/adapters/embedded/previous-server.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { TcpProxy } from '../../../support/network/tcp-proxy.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { rewind } from './rewind.js';

/** Each server creates these folders again, or they concern only one server. */
const NOT_COPIED = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_stat_tmp', 'pg_subtrans'];
/** Only servers fail here, not computers. */
const NOT_DURABLE = { durable: false };
const createSlot = (name: string) => `select pg_create_physical_replication_slot('${name}', true)`;

/** A server and its data directory. */
interface Member {
  readonly directory: string;
  readonly postgres: EmbeddedPostgres;
}

interface Standby extends Member {
  readonly slot: string;
  /** The proxy of its replication stream. */
  readonly replication: TcpProxy;
}

/**
 * A PostgreSQL of one test, with any number of asynchronous standbys, which follow by streaming replication. Programs
 * reach the current primary on one address, as through a virtual IP, and also after it was started again.
 */
export class PostgresServer {
  #standbys: Standby[] = [];
  #slots = 0;
  /** The processes that are stopped. */
  #stopped: readonly number[] = [];

  private constructor(
    private readonly parent: string,
    private primary: Member,
    /** The address of the current primary. */
    private readonly address: TcpProxy,
  ) {}

  /** Starts without a standby: what is inserted before `addStandby` need not be streamed. */
  static async start(): Promise<PostgresServer> {
    const parent = await mkdtemp(join(tmpdir(), 'blog-read-api-replicated-'));
    const directory = join(parent, 'first');
    const postgres = await EmbeddedPostgres.start(directory, NOT_DURABLE);
    return new PostgresServer(parent, { directory, postgres }, await TcpProxy.before(portOf(postgres)));
  }

  async createDatabase(name: string): Promise<string> {
    return this.urlOf(new URL(await this.primary.postgres.ensureDatabase(name)).pathname.slice(1));
  }

  /** The URL of a database on the current primary. */
  urlOf(database: string): string {
    return this.address.url(this.primary.postgres.urlOf(database));
  }

  /** The URL of a database on a standby, which is read-only. By default it is the standby that is promoted next. */
  urlOnStandby(database: string, at = 0): string {
    return this.#follower(at).postgres.urlOf(database);
  }

  /** Copies the running primary as pg_basebackup does, and makes the copy follow it. */
  async addStandby(): Promise<void> {
    const primaryUrl = new URL(this.primary.postgres.urlOf('postgres'));
    const replication = await TcpProxy.before(portOf(this.primary.postgres));
    const slot = `standby_${++this.#slots}`;
    const directory = await mkdtemp(join(this.parent, 'standby-'));
    const data = dataFolder(directory);
    const session = new pg.Client(primaryUrl.href);
    await session.connect();
    try {
      await session.query(createSlot(slot));
      await session.query(`select pg_backup_start('standby', true)`);
      await copyWhileWritten(dirname(dataFolder(this.primary.directory)), dirname(data));
      const { rows } = await session.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop(false)',
      );
      await writeFile(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await session.end();
    }
    const followed = `host=127.0.0.1 port=${replication.port} user=postgres password=${primaryUrl.password}`;
    await appendFile(
      join(data, 'postgresql.auto.conf'),
      `primary_conninfo = '${followed}'\nprimary_slot_name = '${slot}'\nwal_retrieve_retry_interval = '100ms'\n`,
    );
    await writeFile(join(data, 'standby.signal'), '');
    await promisify(execFile)('chown', ['-R', `--reference=${dataFolder(this.primary.directory)}`, data]);
    const postgres = await EmbeddedPostgres.start(directory, NOT_DURABLE);
    this.#standbys.push({ directory, postgres, slot, replication });
    await this.caughtUp();
  }

  /**
   * Waits until all standbys have everything that is committed on the primary now, including what is not flushed yet.
   */
  async caughtUp(): Promise<void> {
    await ask(this.primary, `set synchronous_commit = on; select pg_logical_emit_message(true, 'flush', '')`);
    const [position] = await ask(this.primary, 'select pg_current_wal_flush_lsn()::text as at');
    for (const standby of this.#standbys) {
      await eventually(async () => {
        const [row] = await ask(
          standby,
          `select pg_last_wal_replay_lsn() >= '${position?.at}'::pg_lsn as "isThere"`,
        );
        if (row?.isThere !== true) throw new Error(`A standby has not reached ${position?.at}`);
      });
    }
  }

  /** Stops the stream: a failover loses what commits on the primary from now on. */
  async stopReplicating(): Promise<void> {
    await Promise.all(this.#standbys.map(({ replication }) => replication.cut()));
  }

  /** Kills the primary with its connections. The first standby takes over its role and address. */
  async failOver(): Promise<void> {
    await this.killPrimary();
    await this.promote();
  }

  /** Kills the primary for good. No server answers on its address until a standby is promoted. */
  async killPrimary(): Promise<void> {
    await this.kill();
    // The last of its processes may still write for a moment.
    await rm(this.primary.directory, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Kills the primary as the out-of-memory killer does: unfinished work stays half done. */
  async kill(): Promise<void> {
    const { postgres } = this.primary;
    process.kill(await this.#pid(), 'SIGKILL');
    await postgres.exited;
    await postgres.stop();
    await this.address.cut();
  }

  async startAgain(): Promise<void> {
    const { directory } = this.primary;
    await this.#lead({ directory, postgres: await EmbeddedPostgres.start(directory, NOT_DURABLE) });
  }

  /** Starts the primary from its disk as it was before the work. */
  async rewind(work: () => Promise<void>): Promise<void> {
    await this.caughtUp();
    await rewind(this, this.primary.directory, work);
  }

  /** The primary keeps its connections, accepts new ones and answers none. */
  async pause(): Promise<void> {
    const sessions = await ask(this.primary, 'select pid from pg_stat_activity');
    this.#stopped = [await this.#pid(), ...sessions.map(({ pid }) => Number(pid))];
    this.#signalStopped('SIGSTOP');
  }

  async resume(): Promise<void> {
    this.#signalStopped('SIGCONT');
  }

  /** Makes the first standby the primary, which the others then follow. */
  async promote(): Promise<void> {
    const promoted = this.#follower();
    await promoted.replication.stop();
    await ask(promoted, 'select pg_promote(true, 60)');
    this.#standbys.shift();
    await this.#lead(promoted);
    for (const { slot, replication } of this.#standbys) {
      await ask(promoted, createSlot(slot));
      replication.moveTo(portOf(promoted.postgres));
    }
  }

  async stop(): Promise<void> {
    await this.address.stop();
    for (const { replication, postgres } of this.#standbys) {
      await replication.stop();
      await postgres.stop();
    }
    await this.primary.postgres.stop();
    await rm(this.parent, { recursive: true, force: true });
  }

  async #lead(member: Member): Promise<void> {
    this.primary = member;
    this.address.moveTo(portOf(member.postgres));
    await this.address.restore();
  }

  #follower(at = 0): Standby {
    const standby = this.#standbys[at];
    if (standby === undefined) throw new Error('There is no such standby: addStandby() creates one');
    return standby;
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
    const pid = (await readLockFile(this.primary.directory))?.pid;
    if (!pid) throw new Error('PostgreSQL is not running');
    return pid;
  }
}

const portOf = (postgres: EmbeddedPostgres) => Number(new URL(postgres.urlOf('postgres')).port);
const ask = ({ postgres }: Member, sql: string) => runSql(postgres.urlOf('postgres'), sql);

/** A file that the server deletes during the copy is no loss: the standby replays the deletion, too. */
async function copyWhileWritten(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  if (NOT_COPIED.includes(basename(source))) return;
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await copyWhileWritten(from, to);
    else if (entry.name !== 'postmaster.pid') await copyFile(from, to).catch(unlessRemoved);
  }
}

function unlessRemoved(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
