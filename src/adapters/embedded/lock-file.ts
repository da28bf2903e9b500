import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export function dataFolder(directory: string): string {
  return join(directory, 'cluster', 'data');
}

/** The content of postmaster.pid, which a running PostgreSQL writes. A killed server leaves the file behind. */
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

/** Whether a process with this id exists. It may be a different process than before, since ids are reused. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
