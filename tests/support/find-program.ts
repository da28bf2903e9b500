import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Where the administrator's programs are, which other users do not have on their PATH. */
const ALSO = ['/usr/local/sbin', '/usr/sbin'];

/** The first of these programs that is on the PATH; null without any. */
export async function findProgram(...names: readonly string[]): Promise<string | null> {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...ALSO];
  for (const program of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isExecutable(program)) return program;
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
