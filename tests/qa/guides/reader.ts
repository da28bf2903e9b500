import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { Terminal } from './terminal.js';

/** Short, so that no test waits a minute. A slow machine sends a hundred requests in this time. */
const WINDOW_SECONDS = 6;

/**
 * A reader in a folder of the project, with the demo in one terminal. It serves all pages, because it takes seconds
 * to start.
 */
export class Reader {
  private constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly demo: Terminal,
  ) {}

  static async withDemo(): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-guides-'));
    // As root, the user of the server has to enter it.
    await chmod(folder, 0o711);
    for (const name of ['package.json', 'dist', 'docs']) await symlink(resolve(name), join(folder, name));
    // No progress bar, which curl prints if the output is not a terminal.
    await writeFile(join(folder, '.curlrc'), 'silent\n');
    const environment = {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      PORT: String(await freePort()),
      ADMIN_PORT: '0',
      LOG_PRETTY: 'false',
      RATE_LIMIT_WINDOW_SECONDS: String(WINDOW_SECONDS),
    };
    const demo = new Terminal(folder, environment);
    await writeFile(join(folder, 'start.log'), await demo.run('npm start'));
    return new Reader(folder, environment, demo);
  }

  /** Writes a file into the working directory of the commands. */
  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  openTerminal(): Terminal {
    return new Terminal(this.folder, this.environment);
  }

  /** Waits until requests of other pages with the key whose limit is used up no longer count. */
  async rest(): Promise<void> {
    const { org_lantern: key } = await this.#keys();
    const { headers } = await fetch(`http://127.0.0.1:${this.environment.PORT}/api/v1/tags`, {
      headers: { 'X-API-Key': key ?? '' },
    });
    const isUnused = headers.get('X-RateLimit-Remaining') === '99';
    if (!isUnused) await pause(WINDOW_SECONDS * 1000);
  }

  /** Values in the pages that depend on the reader's machine, and their replacements. */
  async surroundings(): Promise<Readonly<Record<string, string>>> {
    const keys = await this.#keys();
    return {
      'npm ci && npm start': 'cat start.log',
      'http://127.0.0.1:3000': `http://127.0.0.1:${this.environment.PORT}`,
      'brk_…': keys.org_halfbright ?? '',
    };
  }

  async #keys(): Promise<Record<string, string>> {
    return JSON.parse(await readFile(join(this.folder, '.data/demo-keys.json'), 'utf8'));
  }

  async stop(): Promise<void> {
    await this.demo.close();
    await rm(this.folder, { recursive: true });
  }
}
