import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from './run-folder.js';
import { type Installation, runServerProgram } from './server-programs.js';

export function dataFolder(directory: string): string {
  return join(directory, 'cluster', 'data');
}

/** The path for the server, whose user may not be able to enter a parent folder. */
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
    if (user !== null) for (const path of [data, password]) await chown(path, user.uid, user.gid);
    const path = pathForServer(data);
    const args = [
      `--pgdata=${path}`,
      `--pwfile=${path}/../password`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Every system has it; the trigram index then only serves searches in Latin script.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ];
    await runServerProgram(installation, 'initdb', args, data);
    await rename(unfinished, join(directory, 'cluster'));
  } catch (error) {
    await rm(unfinished, { recursive: true });
    if (!existsSync(dataFolder(directory))) throw error;
  }
}
