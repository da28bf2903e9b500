import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAlive } from './is-alive.js';

const copyPrefix = 'blog-content-postgres-';
const ofThisProcess = new Set<string>();

/**
 * Files that one run needs for its own lifetime only: the unfinished data of initdb, the log of a start, the path of a copy of the
 * binaries. The name contains the process id of the run, so that a later run can remove what a killed run left.
 */
export class RunFolder {
  private constructor(
    private readonly directory: string,
    readonly path: string,
  ) {}

  static async create(directory: string): Promise<RunFolder> {
    await mkdir(directory, { recursive: true });
    const path = await mkdtemp(join(directory, `run-${process.pid}-`));
    ofThisProcess.add(path);
    await chmod(path, 0o711);
    return new RunFolder(directory, path);
  }

  get log(): string {
    return join(this.path, 'postgres.log');
  }

  /** A folder elsewhere that other users can enter; it replaces the previous one. Its path is stored before it is filled. */
  async folderForCopy(parent: string): Promise<string> {
    await removeCopy(this.path);
    const copy = await mkdtemp(join(parent, copyPrefix));
    await writeFile(join(this.path, 'copy'), copy);
    await chmod(copy, 0o755);
    return copy;
  }

  /** The server keeps writing to the file; only the name changes. */
  async keepLog(): Promise<string> {
    const kept = join(this.directory, 'postgres.log');
    await rename(this.log, kept);
    return kept;
  }

  /** What cannot be removed now (files of another user, for example) is left for a later run and does not stop this one. */
  async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const pid = /^run-(\d+)-/.exec(name)?.[1];
      const path = join(this.directory, name);
      if (pid === undefined || ofThisProcess.has(path)) continue;
      if (Number(pid) !== process.pid && isAlive(Number(pid))) continue;
      await remove(path).catch(() => undefined);
    }
  }

  async remove(): Promise<void> {
    await remove(this.path);
    ofThisProcess.delete(this.path);
  }
}

async function remove(path: string): Promise<void> {
  await removeCopy(path);
  await removeFolder(path);
}

async function removeCopy(path: string): Promise<void> {
  const copy = await readFile(join(path, 'copy'), 'utf8').catch(() => '');
  if (basename(copy).startsWith(copyPrefix)) await removeFolder(copy);
}

/** Retries, because a program that a killed run left may still be writing there. */
async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
