import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { InstalledWordPress } from './installed-wordpress.js';

const CALL = fileURLToPath(new URL('call.php', import.meta.url));

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
    const { stdout } = await promisify(execFile)(
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
