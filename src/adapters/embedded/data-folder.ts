import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, lchown, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, removeFolder } from './run-folder.js';
import { type Installation, runServerProgram } from './server-programs.js';

/**
 * pg_trgm takes its letters from LC_CTYPE. macOS may only have the second name, others only "C".
 */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'];

export function dataFolder(directory: string): string {
  return join(directory, 'cluster', 'data');
}

/** As its own server names it, whose user may not be able to enter a parent folder. */
export function pathForServer(data: string): string {
  return existsSync('/proc/self/cwd') ? '/proc/self/cwd' : data;
}

/** The password of the superuser, which was created with the data. */
export function passwordOf(directory: string): Promise<string> {
  return readFile(join(directory, 'cluster', 'password'), 'utf8');
}

/** Only a complete result gets the final name. If another run was faster, its data stays. */
export async function createDataFolder(directory: string, installation: Installation): Promise<void> {
  const { user } = installation;
  const unfinished = await createFolder(directory, 0o711);
  try {
    const data = join(unfinished, 'data');
    const password = join(unfinished, 'password');
    await mkdir(data, { mode: 0o700 });
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    if (user !== null) for (const path of [data, password]) await lchown(path, user.uid, user.gid);
    await initialize(data, installation);
    if (user !== null) await chown(password, 0, 0);
    await rename(unfinished, join(directory, 'cluster'));
  } catch (error) {
    await removeFolder(unfinished);
    if (!existsSync(dataFolder(directory))) throw error;
  }
}

async function initialize(data: string, installation: Installation): Promise<void> {
  const path = pathForServer(data);
  for (const characterType of CHARACTER_TYPES) {
    const args = [
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
    ];
    const output = await runServerProgram(installation, 'initdb', args, data);
    if (output === null) return;
    if (!output.includes('invalid locale name'))
      throw new Error(`PostgreSQL could not create its data folder (initdb):\n${output}`);
  }
}
