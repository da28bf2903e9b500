import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { dataFolder } from './data-folder.js';
import { isAlive } from './run-folder.js';

/** The setting that shows, on its command line, who started the server. */
export const OWNER = 'blog_content.owner';

/** No process has this id. */
const NONE = 0;
const ENDS_WITHIN_MS = 10_000;
const POLL_MS = 15;

/** The content of postmaster.pid, which a killed server leaves behind. */
export interface LockFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

export async function readLockFile(directory: string): Promise<LockFile | null> {
  const text = await readFile(join(dataFolder(directory), 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' } : null;
}

/** Stops the server of a killed program. Returns the id in the lock file if another has it. */
export async function stopPrevious(directory: string): Promise<number> {
  const pid = (await readLockFile(directory))?.pid;
  if (pid === undefined || !isAlive(pid)) return NONE;
  const data = dataFolder(directory);
  const [, owner, ofData] = / blog_content\.owner=(\d+):(.*?) *$/.exec(await commandLine(pid)) ?? [];
  if (ofData !== data) return pid;
  if (isAlive(Number(owner)))
    throw new Error(
      `it is already running (process ${owner}). Stop that program first, or start this one in another working directory.`,
    );
  process.kill(pid, 'SIGINT');
  const lastAt = performance.now() + ENDS_WITHIN_MS;
  while (performance.now() < lastAt) {
    // The file counts too: where ended processes are not reaped, the id seems alive for ever.
    if (!isAlive(pid) || (await readLockFile(directory))?.pid !== pid) return NONE;
    await pause(POLL_MS);
  }
  throw new Error(`the PostgreSQL of a killed run (process ${pid}) does not end. End it, then start again.`);
}

async function commandLine(pid: number): Promise<string> {
  if (existsSync('/proc/self/cmdline')) {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return text.replaceAll('\0', ' ');
  }
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
  return stdout.trimEnd();
}
