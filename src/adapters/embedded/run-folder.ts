import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'blog-content-run-';

/** A new folder for this run. The process id in its name lets a later run remove it. */
export async function createFolder(parent: string, mode: number): Promise<string> {
  const folder = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  await chmod(folder, mode);
  return folder;
}

/** Retries, because a program that a killed run left may still be writing there. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** What cannot be removed now (files of another user, for example) is left for a later run. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : process.pid;
    if (!isAlive(pid)) await removeFolder(join(parent, name)).catch(() => {});
  }
}

/** Whether a process has this id. It may be another one, since ids are reused. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
