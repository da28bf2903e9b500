import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  lchown,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  writeFile,
} from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { dataPath } from './data-path.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { errorCode } from './error-code.js';
import { explained } from './explained.js';
import { runServerProgram } from './run-server-program.js';
import type { ServerUser } from './server-user.js';

/** The data folder of one PostgreSQL and the password of its superuser, which are created together. */
export interface Cluster {
  readonly data: string;
  readonly password: string;
}

export interface ClusterOptions {
  readonly native: string;
  readonly user: ServerUser | null;
  readonly durable: boolean;
}

/**
 * pg_trgm and full-text search take their letters from the C library's LC_CTYPE; everything else follows the builtin C.UTF-8. macOS may
 * only have the second name. "C" knows only ASCII, but every system has it.
 */
const characterTypes = ['C.UTF-8', 'en_US.UTF-8', 'C'];

export function dataFolder(directory: string): string {
  return join(directory, 'cluster', 'data');
}

export async function openCluster(directory: string): Promise<Cluster | null> {
  const data = dataFolder(directory);
  if (!existsSync(data)) return null;
  try {
    return { data, password: await readFile(join(directory, 'cluster', 'password'), 'utf8') };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new EmbeddedPostgresError(
      `The password of the data in ${data} is missing (the file "password" next to it). Restore it, or remove ` +
        `${directory} to start with empty databases.`,
      { cause: error },
    );
  }
}

/**
 * initdb works in `workFolder`; only its complete result gets the final name. So a run that is killed leaves nothing that looks like data.
 * If another run was faster, its data stays and ours is left in `workFolder`.
 */
export async function createCluster(
  directory: string,
  workFolder: string,
  options: ClusterOptions,
): Promise<void> {
  requireNamedUser();
  const unfinished = join(workFolder, 'cluster');
  const data = join(unfinished, 'data');
  const password = join(unfinished, 'password');
  await mkdir(data, { recursive: true, mode: 0o700 });
  await chmod(unfinished, 0o711);
  await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
  if (options.user) await changeOwner(options.user, data, password);

  await initialise(data, options);

  if (process.getuid && process.getgid) await chown(password, process.getuid(), process.getgid());
  try {
    await rename(unfinished, join(directory, 'cluster'));
    await syncFolder(directory);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}

/**
 * Makes sure that this version of PostgreSQL and `user` can use the data. PostgreSQL insists on owner and mode, which are lost when root
 * copies or unpacks a folder. The owner of the folder itself changes last, so that a run that was killed before is recognized as
 * unfinished.
 */
export async function prepareCluster({ data }: Cluster, { native, user }: ClusterOptions): Promise<void> {
  const [made, program] = await Promise.all([versionOfData(data), versionOfProgram(native)]);
  if (made !== program) {
    throw new EmbeddedPostgresError(
      `The data in ${data} ${made === null ? 'lacks the file PG_VERSION' : `is from PostgreSQL ${made}`}, but this program ` +
        `comes with PostgreSQL ${program}. ` +
        'Move that folder away to start with empty databases; to keep the data, dump it with the version that created it.',
    );
  }
  await chmod(data, 0o700);
  if (user && (await stat(data)).uid !== user.uid) {
    const contents = (await readdir(data, { recursive: true })).map((name) => join(data, name));
    await changeOwner(user, ...contents, data);
  }
}

async function initialise(data: string, { native, user, durable }: ClusterOptions): Promise<void> {
  const path = dataPath(data);
  for (const characterType of characterTypes) {
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
    if (output.includes('invalid locale name') && characterType !== 'C') continue;
    throw explained(`PostgreSQL could not create its data folder (initdb, exit code ${code}).`, output);
  }
}

/** initdb looks up the name of its user, even though nothing depends on it. As root we choose a user that has a name. */
function requireNamedUser(): void {
  try {
    userInfo();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL needs a user with a name, but uid ${process.getuid?.()} has none on this system (for example in a ` +
        'container that was started with an arbitrary uid). Add it to /etc/passwd, or start the container as another user.',
      { cause },
    );
  }
}

async function versionOfData(data: string): Promise<string | null> {
  try {
    return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The first line of the catalogue that initdb starts from; initdb itself checks this line. */
async function versionOfProgram(native: string): Promise<string> {
  const catalogue = await open(join(native, 'share', 'postgresql', 'postgres.bki'));
  try {
    const { buffer, bytesRead } = await catalogue.read(Buffer.alloc(64), 0, 64, 0);
    return /^# PostgreSQL (\d+)/.exec(buffer.toString('latin1', 0, bytesRead))?.[1] ?? 'of unknown version';
  } finally {
    await catalogue.close();
  }
}

async function changeOwner({ uid, gid }: ServerUser, ...paths: string[]): Promise<void> {
  for (const path of paths) await lchown(path, uid, gid);
}

/** Without this, a rename may not survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
