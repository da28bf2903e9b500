import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunningProcess } from '../../support/programs/running-process.js';
import { keptFolder } from './kept-folder.js';

/**
 * npm takes the newest versions of that day, so that every run installs the same packages without a lock file. Raise
 * it together with the versions in `package.json` of the apps.
 */
const BEFORE = '2026-11-20';
/** Neither app needs install scripts on PostgreSQL. */
const INSTALL = [
  ...['install', `--before=${BEFORE}`, '--no-package-lock'],
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
];

/** The `node_modules` of an app with these packages more, from npm. */
export async function installedPackages(
  app: string,
  added: Readonly<Record<string, string>> = {},
): Promise<string> {
  const own = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
  const packages = JSON.stringify({ ...own, dependencies: { ...own.dependencies, ...added } });
  const versions = createHash('sha256').update(packages).update(BEFORE).digest('hex');
  const installed = await keptFolder(versions.slice(0, 16), async (folder) => {
    await writeFile(join(folder, 'package.json'), packages);
    const npm = new RunningProcess('npm', INSTALL, process.env, folder);
    if ((await npm.exitCode()) !== 0) throw new Error(`npm cannot install ${app}:\n${npm.output}`);
  });
  return join(installed, 'node_modules');
}
