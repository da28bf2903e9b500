import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lchown, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from './previous-server.js';
import { runServerProgram, type ServerUser } from './server-program.js';

export interface ServerOptions {
  readonly native: string;
  /** Null: our own user. */
  readonly user: ServerUser | null;
  readonly durable: boolean;
}

/** A data folder and the password of its superuser, which are created together. */
export interface Cluster extends ServerOptions {
  readonly data: string;
  readonly password: string;
}

/**
 * pg_trgm takes its letters from LC_CTYPE. macOS may only have the second name, others only "C".
 */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'];

/** As its own server names it, whose user may not be able to enter a parent folder. */
export function pathForServer(data: string): string {
  return existsSync('/proc/self/cwd') ? '/proc/self/cwd' : data;
}

/** The data in the folder, which is created if there is none. */
export async function openCluster(
  directory: string,
  workFolder: string,
  options: ServerOptions,
): Promise<Cluster> {
  const data = dataFolder(directory);
  if (!existsSync(data)) await createCluster(directory, workFolder, options);
  if (options.user !== null && (await stat(data)).uid !== options.user.uid)
    await changeOwner(data, options.user);
  const password = join(directory, 'cluster', 'password');
  if (!existsSync(password))
    throw new Error(
      `${password} is missing. Restore it, or remove ${directory} to start with empty databases.`,
    );
  return { ...options, data, password: await readFile(password, 'utf8') };
}

/** Only a complete result gets the final name. If another run was faster, its data stays. */
async function createCluster(
  directory: string,
  workFolder: string,
  { native, user, durable }: ServerOptions,
): Promise<void> {
  const unfinished = join(workFolder, 'cluster');
  const data = join(unfinished, 'data');
  const password = join(unfinished, 'password');
  await mkdir(data, { recursive: true, mode: 0o700 });
  await chmod(unfinished, 0o711);
  await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
  if (user !== null) for (const path of [data, password]) await lchown(path, user.uid, user.gid);
  await initialize(data, { native, user, durable });
  if (process.getuid && process.getgid) await chown(password, process.getuid(), process.getgid());
  try {
    await rename(unfinished, join(directory, 'cluster'));
  } catch (error) {
    if (!existsSync(dataFolder(directory))) throw error;
  }
}

async function initialize(data: string, { native, user, durable }: ServerOptions): Promise<void> {
  const path = pathForServer(data);
  for (const characterType of CHARACTER_TYPES) {
    const { code, output } = await runServerProgram(
      join(native, 'bin', 'initdb'),
      [
        `--pgdata=${path}`,
        `--pwfile=${path}/../password`,
        '--username=postgres',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        `--lc-ctype=${characterType}`,
        '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ],
      { cwd: data, user },
    );
    if (code === 0) return;
    if (!output.includes('invalid locale name'))
      throw new Error(`PostgreSQL could not create its data folder (initdb, exit code ${code}).\n${output}`);
  }
}

/** Owners are lost when root copies a folder. The folder itself is last, as the mark of the end. */
async function changeOwner(data: string, { uid, gid }: ServerUser): Promise<void> {
  const names = await readdir(data, { recursive: true });
  for (const path of [...names.map((name) => join(data, name)), data]) await lchown(path, uid, gid);
}
