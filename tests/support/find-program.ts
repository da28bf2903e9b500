import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Administrators' programs are here, and other users do not have these folders on their PATH. */
const ALSO = ['/usr/local/sbin', '/usr/sbin'];

/** The path of the first of these programs that exists; null if none does. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...ALSO];
  const programs = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return programs.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
