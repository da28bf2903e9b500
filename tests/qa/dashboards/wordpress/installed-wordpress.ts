import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../../../support/exists.js';
import { findProgram } from '../../../support/find-program.js';
import { noteUse, skipWithout } from '../../../support/run-notes.js';
import { DASHBOARDS } from '../installed-packages.js';

export interface InstalledWordPress {
  readonly php: string;
  readonly folder: string;
}

const run = promisify(execFile);
/** In Debian's package. */
const FOLDER = join('usr', 'share', 'wordpress');

/**
 * WordPress and a PHP that runs it. The package of Debian or Ubuntu is unpacked, not installed, because it needs a web
 * server: that takes no administrator. Without PHP or such a package, the tests are skipped.
 */
export async function wordPressForTests(context: Mocha.Context): Promise<InstalledWordPress> {
  const php = findProgram('php');
  const modules = php === null ? '' : (await run(php, ['-m'])).stdout;
  if (php === null || !/^mysqli$/m.test(modules)) {
    return skipWithout(context, 'PHP with MySQL (install php-cli and php-mysql)');
  }
  const folder = join('/', FOLDER);
  if (await exists(join(folder, 'wp-settings.php'))) return used({ php, folder });
  const unpacked = join(DASHBOARDS, 'wordpress');
  if (!(await exists(unpacked)) && !(await unpackInto(unpacked))) {
    return skipWithout(context, 'WordPress (install the package wordpress)');
  }
  return used({ php, folder: join(unpacked, FOLDER) });
}

function used(installed: InstalledWordPress): InstalledWordPress {
  noteUse('WordPress', installed.folder);
  return installed;
}

/** False if there is no such package. The folder receives its name at the end, so a folder with that name is complete. */
async function unpackInto(unpacked: string): Promise<boolean> {
  await mkdir(dirname(unpacked), { recursive: true });
  const unfinished = await mkdtemp(join(dirname(unpacked), 'unfinished-'));
  try {
    await run('apt-get', ['download', 'wordpress'], { cwd: unfinished });
    const [file = ''] = await readdir(unfinished);
    await run('dpkg-deb', ['--extract', file, 'unpacked'], { cwd: unfinished });
    await rename(join(unfinished, 'unpacked'), unpacked);
    return true;
  } catch {
    return false;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
