import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, pathForServer } from './cluster.js';
import { readLockFile } from './lock-file.js';
import { startServerProgram } from './server-program.js';

const POLL_MS = 15;
const STOPS_WITHIN_MS = 30_000;
const LAST_LINES = 15;

/** The running server. An orderly end of our process (process.exit, an uncaught error) stops it too. */
export class ServerProcess {
  readonly exited: Promise<void>;
  #hasExited = false;
  readonly #killOnExit = (): void => {
    this.child.kill('SIGINT');
  };

  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    private log: string,
  ) {
    process.on('exit', this.#killOnExit);
    this.exited = once(child, 'exit').then(() => {
      this.#hasExited = true;
      process.off('exit', this.#killOnExit);
    });
  }

  /**
   * The log is written in `workFolder`. `stalePid` is that of another process in the lock file. PostgreSQL replaces the file of its own
   * grandparent, so the process is declared to be that.
   */
  static async start(
    directory: string,
    workFolder: string,
    { native, data, user }: Cluster,
    settings: Readonly<Record<string, unknown>>,
    stalePid: number | null,
  ): Promise<ServerProcess> {
    const log = join(workFolder, 'postgres.log');
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const logFile = await open(log, 'w', 0o600);
    try {
      const stdio = ['ignore' as const, logFile.fd, logFile.fd];
      const env = stalePid === null ? {} : { PG_GRANDPARENT_PID: String(stalePid) };
      const postgres = join(native, 'bin', 'postgres');
      const options = { cwd: data, user, stdio, env };
      const child = await startServerProgram(postgres, ['-D', pathForServer(data), ...args], options);
      return new ServerProcess(child, directory, log);
    } finally {
      await logFile.close();
    }
  }

  /** Whether the server accepts connections. Crash recovery may take long; false: it has ended. */
  async becomesReady(): Promise<boolean> {
    while (!this.#hasExited) {
      const file = await readLockFile(this.directory);
      if (file?.pid === this.child.pid && file?.status === 'ready') return true;
      await pause(POLL_MS);
    }
    return false;
  }

  /** The server keeps writing to the file; only the name changes. */
  async keepLog(): Promise<void> {
    const log = join(this.directory, 'postgres.log');
    await rename(this.log, log);
    this.log = log;
  }

  /** Fast shutdown; an immediate one if that takes too long. */
  async stop(): Promise<void> {
    this.child.kill('SIGINT');
    const emergency = setTimeout(() => this.child.kill('SIGQUIT'), STOPS_WITHIN_MS);
    await this.exited;
    clearTimeout(emergency);
  }

  async logEnd(): Promise<string> {
    const log = await readFile(this.log, 'utf8').catch(() => '');
    return log.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  }
}
