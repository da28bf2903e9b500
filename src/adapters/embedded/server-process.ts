import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { readLockFile } from './lock-file.js';
import type { ServerUser } from './server-user.js';
import { startServerProgram } from './start-server-program.js';
import { until } from './until.js';

export interface ServerProcessOptions {
  readonly postgres: string;
  readonly args: readonly string[];
  readonly data: string;
  readonly user: ServerUser | null;
  readonly log: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Crash recovery after a power failure takes time. */
const startLimitMs = 300_000;
const stopLimitMs = 30_000;

export class ServerStartFailure extends Error {
  constructor(readonly log: string) {
    super('PostgreSQL did not start');
  }
}

/** The running server. An orderly end of our process (process.exit, an uncaught error) stops it too. */
export class ServerProcess {
  readonly exited: Promise<void>;
  private hasExited = false;
  private readonly killOnExit = (): void => {
    this.child.kill('SIGINT');
  };

  private constructor(private readonly child: ChildProcess) {
    process.on('exit', this.killOnExit);
    this.exited = once(child, 'exit').then(() => {
      this.hasExited = true;
      process.off('exit', this.killOnExit);
    });
  }

  /** Resolves when the server accepts connections. The log starts empty. */
  static async start({ postgres, args, data, user, log, env }: ServerProcessOptions): Promise<ServerProcess> {
    const logFile = await open(log, 'w', 0o600);
    try {
      const stdio = ['ignore' as const, logFile.fd, logFile.fd];
      const server = new ServerProcess(
        await startServerProgram(postgres, args, { cwd: data, user, stdio, env }),
      );
      if (await server.becomesReady(data)) return server;
      await server.stop();
      throw new ServerStartFailure(await readFile(log, 'utf8'));
    } finally {
      await logFile.close();
    }
  }

  /** Fast shutdown; an immediate one if that takes too long. */
  async stop(): Promise<void> {
    this.child.kill('SIGINT');
    const emergency = setTimeout(() => this.child.kill('SIGQUIT'), stopLimitMs);
    await this.exited;
    clearTimeout(emergency);
  }

  private async becomesReady(data: string): Promise<boolean> {
    const ready = await until(startLimitMs, async () => {
      if (this.hasExited) return false;
      const file = await readLockFile(data);
      return file?.pid === this.child.pid && file?.status === 'ready' ? true : null;
    });
    return ready === true;
  }
}
