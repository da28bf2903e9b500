import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EmbeddedPostgresOptions } from '../../../../src/adapters/embedded/embedded-postgres.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';

const folders: string[] = [];
const programs: Program[] = [];

/** A new folder that every user can enter, like most folders of projects. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  await chmod(folder, 0o755);
  folders.push(folder);
  return folder;
}

export async function killPrograms(): Promise<void> {
  for (const program of programs.splice(0)) await program.kill();
}

/** Kills the programs of a test, ends the servers that they left, and removes its folders. */
export async function cleanUp(): Promise<void> {
  await killPrograms();
  for (const folder of folders.splice(0)) {
    for (const path of await readdir(folder, { recursive: true })) {
      if (path.endsWith('postmaster.pid')) await endServer(join(folder, path));
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Shuts down the server that wrote this lock file immediately, unless a test wrote the file. */
async function endServer(lockFile: string): Promise<void> {
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid) || pid === process.pid || !exists(pid)) return;
  process.kill(pid, 'SIGQUIT');
  await isGone(pid);
}

/** Waits until there is no such process. */
export async function isGone(pid: number): Promise<void> {
  await eventually(() => {
    if (exists(pid)) throw new Error(`Process ${pid} continues`);
  });
}

export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function serverPid(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'cluster', 'data', 'postmaster.pid'), 'utf8'), 10);
}

export async function failure(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => {
      throw new Error('succeeded, and should not have');
    },
    (error: Error) => error,
  );
}

interface Event {
  readonly event: 'started' | 'used' | 'stopped' | 'refused';
  readonly url: string;
  readonly message: string;
}

/** Another process that starts an embedded PostgreSQL. */
export class Program {
  private readonly lines: AsyncIterator<string>;

  private constructor(readonly process: ChildProcess) {
    const lines: Interface = createInterface({ input: process.stdout as NodeJS.ReadableStream });
    this.lines = lines[Symbol.asyncIterator]();
  }

  /** Starts the program in its own process group, like the foreground job of a terminal. */
  static run(directory: string, options: EmbeddedPostgresOptions = { durable: false }): Program {
    const file = fileURLToPath(new URL('embedded-program.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', file, directory, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const program = new Program(child);
    programs.push(program);
    return program;
  }

  get pid(): number {
    return this.process.pid ?? Number.NaN;
  }

  async next(): Promise<Event> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the program ended');
    return JSON.parse(value) as Event;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }
}
