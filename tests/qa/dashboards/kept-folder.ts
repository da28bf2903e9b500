import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exists } from '../../support/exists.js';

/**
 * Hundreds of megabytes, kept across runs and `npm ci`, in a place where they cannot resolve packages of this
 * project.
 */
const DASHBOARDS = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'blog-read-api',
  'dashboards',
);

/**
 * The folder of this name, filled unless an earlier run has done so. It receives its name at the end, so a folder with
 * that name is complete.
 */
export async function keptFolder(name: string, fill: (unfinished: string) => Promise<void>): Promise<string> {
  const folder = join(DASHBOARDS, name);
  if (await exists(folder)) return folder;
  await mkdir(DASHBOARDS, { recursive: true });
  const unfinished = await mkdtemp(join(DASHBOARDS, 'unfinished-'));
  try {
    await fill(unfinished);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
