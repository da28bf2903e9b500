import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error-code.js';

/** The content of postmaster.pid, which a running PostgreSQL writes. A killed server leaves the file behind. */
export interface LockFile {
  /** Null: the file is empty or has other content, as after a full disk or a power failure. */
  readonly pid: number | null;
  readonly port: number;
  readonly status: string;
}

export function lockFilePath(data: string): string {
  return join(data, 'postmaster.pid');
}

export async function readLockFile(data: string): Promise<LockFile | null> {
  try {
    const lines = (await readFile(lockFilePath(data), 'utf8')).split('\n');
    const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
    return { pid: pid > 0 ? pid : null, port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
