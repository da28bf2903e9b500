import { readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { errorCode } from './error-code.js';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const candidates = ['postgres', '_postgres', 'nobody'];

/**
 * The user that PostgreSQL has to run as, or null for our own user. PostgreSQL refuses to run as root, so root runs it as the owner of the
 * data, or as a user that every system has.
 */
export async function serverUser(dataFolder: string): Promise<ServerUser | null> {
  const owner = await ownerOf(dataFolder);
  const self = process.getuid?.();
  if (self !== 0) {
    if (owner !== null && owner.uid !== self) {
      throw new EmbeddedPostgresError(
        `The data in ${dataFolder} belongs to another user (uid ${owner.uid}). ` +
          'Start the program as that user, or in another working directory, or give the folder to yourself with chown -R.',
      );
    }
    return null;
  }
  if (owner !== null && owner.uid !== 0) return owner;
  return await unprivilegedUser();
}

async function ownerOf(dataFolder: string): Promise<ServerUser | null> {
  try {
    const { uid, gid } = await stat(dataFolder);
    return { uid, gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function unprivilegedUser(): Promise<ServerUser> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const candidate of candidates) {
    const [, , uid, gid] = users.find(([name]) => name === candidate) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody" to run it as. ' +
      'Start the program as an ordinary user.',
  );
}
