import { readFile, stat } from 'node:fs/promises';
import { dataFolder } from './lock-file.js';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', '_postgres', 'nobody'];

/**
 * The user that PostgreSQL has to run as, or null for our own. PostgreSQL refuses to run as root, so
 * root runs it as the owner of the data, or as a user that every system has.
 */
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
