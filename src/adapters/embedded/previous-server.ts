import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolder } from './data-folder.js';
import { isAlive } from './run-folder.js';

/** On the command line of a server, before the process that started it and the data folder. */
export const OWNER = '--blog_content.owner=';

/** The content of postmaster.pid, which a killed server leaves behind. */
export async function readLockFile(directory: string) {
  const text = await readFile(join(dataFolder(directory), 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' } : null;
}

/** The living process that has the id in the lock file. No owner: it is another program. */
export async function lockHolder(directory: string) {
  const pid = (await readLockFile(directory))?.pid;
  if (pid === undefined || !isAlive(pid)) return null;
  const [, run = ''] = (await commandLine(pid)).split(OWNER);
  const [, owner, data] = /^(\d+):(.*)$/s.exec(run.trimEnd()) ?? [];
  return { pid, owner: data === dataFolder(directory) ? Number(owner) : null };
}

/** Linux may lack `ps`. */
async function commandLine(pid: number): Promise<string> {
  if (existsSync('/proc/self'))
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  return (await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout;
}
