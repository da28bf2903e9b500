import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exists } from '../../support/exists.js';
import { RunningProcess } from '../../support/programs/running-process.js';

/**
 * Hundreds of megabytes, kept across runs and `npm ci`, in a place where they cannot resolve packages of this
 * project.
 */
export const DASHBOARDS = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'blog-read-api',
  'dashboards',
);
/**
 * npm takes the newest versions of that day, so that every run installs the same packages without a lock file. Raise
 * it together with the versions in `app/package.json`.
 */
const BEFORE = '2026-11-20';
/** Directus, Ghost and Strapi need no install scripts on PostgreSQL and MySQL. */
const INSTALL = [
  ...['install', `--before=${BEFORE}`, '--no-package-lock'],
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
];

/**
 * The `node_modules` of the dashboard in this folder, installed from npm unless an earlier run has done so.
 */
export async function installedPackages(app: string): Promise<string> {
  const versions = createHash('sha256')
    .update(await readFile(join(app, 'package.json')))
    .update(BEFORE)
    .digest('hex');
  const installed = join(DASHBOARDS, versions.slice(0, 16));
  if (!(await exists(installed))) await installInto(installed, app);
  return join(installed, 'node_modules');
}

/** The folder receives its name at the end, so a folder with that name is complete. */
async function installInto(installed: string, app: string): Promise<void> {
  await mkdir(DASHBOARDS, { recursive: true });
  const unfinished = await mkdtemp(join(DASHBOARDS, 'unfinished-'));
  try {
    await cp(join(app, 'package.json'), join(unfinished, 'package.json'));
    const npm = new RunningProcess('npm', INSTALL, process.env, unfinished);
    if ((await npm.exitCode()) !== 0) throw new Error(`npm cannot install ${app}:\n${npm.output}`);
    await rename(unfinished, installed);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
