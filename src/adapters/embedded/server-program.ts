import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Not ours, where PGDATA would count. */
export const SERVER_ENVIRONMENT = { LC_ALL: 'C' };

const UNPRIVILEGED = /^(?:_?postgres|nobody):[^:]*:(\d+):(\d+):/m;

/** Runs one of PostgreSQL's programs to its end. Returns its output if it failed, or null. */
export async function runServerProgram(
  file: string,
  args: readonly string[],
  cwd: string,
  user: ServerUser | null,
): Promise<string | null> {
  try {
    await promisify(execFile)(file, args, { cwd, env: SERVER_ENVIRONMENT, ...user });
    return null;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    // A text is the code of a system error: the program could not be run at all.
    if (typeof code === 'string') throw error;
    return `${stdout}${stderr}`;
  }
}

/** The user that PostgreSQL runs as, or null for ours: it refuses to run as root. */
export async function serverUser(data: string): Promise<ServerUser | null> {
  const owner: ServerUser | null = await stat(data).catch(() => null);
  const ourUid = process.getuid?.();
  if (ourUid === 0)
    return owner === null || owner.uid === 0 ? unprivilegedUser() : { uid: owner.uid, gid: owner.gid };
  if (owner !== null && owner.uid !== ourUid)
    throw new Error(
      `the data belongs to another user (uid ${owner.uid}). Start the program as that user, or in another working ` +
        'directory, or give the folder to yourself with chown -R.',
    );
  return null;
}

async function unprivilegedUser(): Promise<ServerUser> {
  const [, uid, gid] = UNPRIVILEGED.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody". Start the program as an ordinary user.',
  );
}
