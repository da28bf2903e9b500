import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error-code.js';

/** What a running PostgreSQL writes into postmaster.pid. A server that was killed leaves the file behind. */
export interface LockFile {
  /** Null where the file is empty or says something else: the remnant of a full disk or a power failure. */
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
