import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exists } from '../../../support/exists.js';
import { findProgram } from '../../../support/find-program.js';
import { noteUse, skipWithout } from '../../../support/run-notes.js';
import { keptFolder } from '../kept-folder.js';

const run = promisify(execFile);
const CALL = fileURLToPath(new URL('call.php', import.meta.url));
/** In Debian's package. */
const FOLDER = join('usr', 'share', 'wordpress');

interface InstalledWordPress {
  readonly php: string;
  readonly folder: string;
}

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
  const isInstalled = await exists(join('/', FOLDER, 'wp-settings.php'));
  const unpacked = isInstalled ? '/' : await keptFolder('wordpress', unpackIn).catch(() => null);
  if (unpacked === null) return skipWithout(context, 'WordPress (install the package wordpress)');
  const folder = join(unpacked, FOLDER);
  noteUse('WordPress', folder);
  return { php, folder };
}

async function unpackIn(folder: string): Promise<void> {
  await run('apt-get', ['download', 'wordpress'], { cwd: folder });
  const [file = ''] = await readdir(folder);
  await run('dpkg-deb', ['--extract', file, '.'], { cwd: folder });
}

/** A function of WordPress or of call.php, with its arguments. */
export type Call = readonly [name: string, args: readonly unknown[]];

/** A WordPress without a web server: each call is a process of PHP, as each request to a site is one by itself. */
export class WordPress {
  private constructor(
    private readonly installed: InstalledWordPress,
    private readonly databaseUrl: string,
    private readonly content: string,
  ) {}

  /** Needs an empty database. */
  static async install(installed: InstalledWordPress, databaseUrl: string): Promise<WordPress> {
    const content = await mkdtemp(join(tmpdir(), 'blog-read-api-wordpress-'));
    for (const folder of ['plugins', 'themes', 'uploads']) await mkdir(join(content, folder));
    const wordPress = new WordPress(installed, databaseUrl, content);
    await wordPress.call('wp_install', 'Notes', 'ada', 'ada@example.com', true, '', 'secret');
    return wordPress;
  }

  async call<Result = unknown>(name: string, ...args: readonly unknown[]): Promise<Result> {
    return (await this.callAll([[name, args]]))[0] as Result;
  }

  async callAll(calls: readonly Call[]): Promise<readonly unknown[]> {
    const { php, folder } = this.installed;
    const { stdout } = await run(
      php,
      // Sends no mail.
      ['-d', 'sendmail_path=true', CALL, JSON.stringify(calls)],
      {
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: this.databaseUrl,
          WORDPRESS: folder,
          CONTENT: this.content,
        },
      },
    );
    return JSON.parse(stdout);
  }

  async stop(): Promise<void> {
    await rm(this.content, { recursive: true, force: true });
  }
}
