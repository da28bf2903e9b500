import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/adapters/embedded/free-port.js';
import { Terminal } from './terminal.js';

/** So that no test waits a minute; a slow machine makes a hundred requests in it. */
const WINDOW_SECONDS = 6;

/** A reader in a folder of the project, with the demo in one terminal: it takes seconds to start, so that one serves all pages. */
export class Reader {
  private constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly demo: Terminal,
  ) {}

  static async withDemo(): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-guides-'));
    for (const name of ['package.json', 'dist', 'docs']) await symlink(resolve(name), join(folder, name));
    // No progress bar, which curl draws where it writes to no terminal.
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

  /** Into the folder in which the commands are given. */
  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  openTerminal(): Terminal {
    return new Terminal(this.folder, this.environment);
  }

  /** Until nothing counts any more of what other pages have asked with the key that is there to be spent. */
  async rest(): Promise<void> {
    const { org_lantern: key } = await this.#keys();
    const { headers } = await fetch(`http://127.0.0.1:${this.environment.PORT}/api/v1/tags`, {
      headers: { 'X-API-Key': key ?? '' },
    });
    const isUnused = headers.get('X-RateLimit-Remaining') === '99';
    if (!isUnused) await pause(WINDOW_SECONDS * 1000);
  }

  /** What pages say of the reader's own machine, and what is there instead. */
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
