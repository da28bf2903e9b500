import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isAlive } from './previous-server.js';

const COPY_PREFIX = 'blog-content-postgres-';

/** For the lifetime of this run. The process id in its name lets a later run remove it. */
export async function createRunFolder(directory: string): Promise<string> {
  const folder = join(directory, `run-${process.pid}`);
  await removeRunFolder(folder);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
  return folder;
}

/** A folder elsewhere that other users can enter. Its path is stored before it is filled. */
export async function folderForCopy(runFolder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), COPY_PREFIX));
  await writeFile(join(runFolder, 'copy'), copy);
  await chmod(copy, 0o755);
  return copy;
}

export async function removeRunFolder(folder: string): Promise<void> {
  const copy = await readFile(join(folder, 'copy'), 'utf8').catch(() => '');
  // Retries, because a program that a killed run left may still be writing there.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 };
  if (basename(copy).startsWith(COPY_PREFIX)) await rm(copy, options);
  await rm(folder, options);
}

/** What cannot be removed now (files of another user, for example) is left for a later run. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await removeRunFolder(join(directory, name)).catch(() => {});
  }
}
