import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../domain/policies/reason-of.js';

const PREFIX = 'blog-content-run-';

/** A new folder for this run. The process id in its name lets a later run remove it. */
export async function createFolder(parent: string, mode: number): Promise<string> {
  const folder = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  await chmod(folder, mode);
  return folder;
}

/** What cannot be removed now (files of another user, for example) is left for a later run. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : process.pid;
    if (!isAlive(pid)) await rm(join(parent, name), { recursive: true, maxRetries: 5 }).catch(() => {});
  }
}

/** Whether a process has this id. It may be another one, since ids are reused. */
export function isAlive(pid: number): boolean {
  return send(0, pid);
}

/** Returns whether there is such a process. */
export function send(signal: 'SIGINT' | 0, pid: number): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
