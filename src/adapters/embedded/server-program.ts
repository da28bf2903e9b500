import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { dataFolder } from './previous-server.js';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerProgramOptions {
  readonly cwd: string;
  readonly user: ServerUser | null;
  readonly stdio: StdioOptions;
  readonly env?: Readonly<Record<string, string>>;
}

const CANDIDATES = ['postgres', '_postgres', 'nobody'];

/** Without our environment, where PGDATA would count, and in a session without our Ctrl-C. */
export async function startServerProgram(
  file: string,
  args: readonly string[],
  { cwd, user, stdio, env }: ServerProgramOptions,
): Promise<ChildProcess> {
  const child = spawn(file, args, { cwd, stdio, detached: true, env: { LC_ALL: 'C', ...env }, ...user });
  await once(child, 'spawn');
  return child;
}

/** Runs one of PostgreSQL's programs to its end. The output combines both of its streams. */
export async function runServerProgram(
  file: string,
  args: readonly string[],
  options: Pick<ServerProgramOptions, 'cwd' | 'user'>,
): Promise<{ code: number | null; output: string }> {
  const child = await startServerProgram(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** The user that PostgreSQL runs as, or null for ours: it refuses to run as root. */
export async function serverUser(directory: string): Promise<ServerUser | null> {
  const data = dataFolder(directory);
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
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const candidate of CANDIDATES) {
    const [, , uid, gid] = users.find(([name]) => name === candidate) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody". Start the program as an ordinary user.',
  );
}
