import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { errorCode } from './error-code.js';
import type { RunFolder } from './run-folder.js';
import { runServerProgram } from './run-server-program.js';
import type { ServerUser } from './server-user.js';

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * A folder of binaries that `user` can run: the given one, or a copy in a temporary folder (the usual one may only be readable by us). A
 * copy is needed if the user cannot enter the folder (below /root, for example), or if links are missing in a read-only folder.
 */
export async function usableBinaries(
  native: string,
  user: ServerUser | null,
  run: RunFolder,
): Promise<string> {
  if ((await completeLinks(native)) && (await canRun(native, user))) return native;

  let cause: unknown;
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    try {
      const copy = join(await run.folderForCopy(parent), 'native');
      await copyReadable(native, copy);
      if ((await completeLinks(copy)) && (await canRun(copy, user))) return copy;
    } catch (error) {
      cause = error;
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL can be run neither from ${native} nor from a copy in ${tmpdir()}: there is too little space, or the file system ` +
      'does not allow programs ("noexec"). Set TMPDIR to a folder with 100 MB of free space where programs may run.',
    { cause },
  );
}

/** npm packages cannot contain links. An install script creates them, and npm may have been told to run no scripts. */
async function completeLinks(native: string): Promise<boolean> {
  const links: Link[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  try {
    for (const { source, target } of links) {
      await link(relative(dirname(target), source), join(native, relative('native', target)));
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

async function link(to: string, path: string): Promise<void> {
  if (existsSync(path)) return;
  try {
    await symlink(to, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

async function canRun(native: string, user: ServerUser | null): Promise<boolean> {
  const postgres = join(native, 'bin', 'postgres');
  try {
    const { code, output } = await runServerProgram(postgres, ['--version'], { cwd: '/', user });
    if (code === 0) return true;
    throw new EmbeddedPostgresError(`PostgreSQL does not run on this system: ${output.trim()}`);
  } catch (error) {
    switch (errorCode(error)) {
      case 'EACCES':
        return false;
      case 'EPERM':
      case 'EINVAL':
        if (user === null) throw error;
        throw new EmbeddedPostgresError(
          `PostgreSQL does not run as root, and this system does not allow running it as another user (uid ${user.uid}). ` +
            'Start the program as an ordinary user.',
          { cause: error },
        );
      case 'ENOENT':
        throw new EmbeddedPostgresError(
          `${postgres} is missing, or needs another C library than this system has (glibc, which Alpine Linux lacks). ` +
            'Use the commands "api" and "sync" with a PostgreSQL of your own.',
          { cause: error },
        );
      default:
        throw error;
    }
  }
}

/**
 * The copy is readable by all users, whatever the umask of the installation was. Links are created later. The many small files are copied
 * in parallel, which `cp` of node:fs does not do.
 */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const files: Promise<void>[] = [];
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) files.push(copyReadable(source, target));
    if (entry.isFile()) files.push(copyFile(source, target).then(() => chmod(target, 0o755)));
  }
  await Promise.all(files);
}
