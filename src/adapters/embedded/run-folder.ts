import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAlive } from './previous-server.js';

const COPY_PREFIX = 'blog-content-postgres-';

/**
 * What one run needs for its own lifetime. Its name has the process id, so that a later run can
 * remove it.
 */
export class RunFolder {
  private constructor(
    private readonly directory: string,
    readonly path: string,
  ) {}

  static async create(directory: string): Promise<RunFolder> {
    const path = join(directory, `run-${process.pid}`);
    await remove(path);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o711);
    return new RunFolder(directory, path);
  }

  /** A folder elsewhere that other users can enter. Its path is stored before it is filled. */
  async folderForCopy(parent: string): Promise<string> {
    await removeCopy(this.path);
    const copy = await mkdtemp(join(parent, COPY_PREFIX));
    await writeFile(join(this.path, 'copy'), copy);
    await chmod(copy, 0o755);
    return copy;
  }

  /** What cannot be removed now (files of another user, for example) is left for a later run. */
  async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const pid = /^run-(\d+)$/.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid)))
        await remove(join(this.directory, name)).catch(() => {});
    }
  }

  remove(): Promise<void> {
    return remove(this.path);
  }
}

async function remove(path: string): Promise<void> {
  await removeCopy(path);
  await removeFolder(path);
}

async function removeCopy(path: string): Promise<void> {
  const copy = await readFile(join(path, 'copy'), 'utf8').catch(() => '');
  if (basename(copy).startsWith(COPY_PREFIX)) await removeFolder(copy);
}

/** Retries, because a program that a killed run left may still be writing there. */
async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
