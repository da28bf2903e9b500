import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { urlOfRunning } from '../../../src/adapters/embedded/embedded-postgres.js';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { RunningProgram } from '../../support/programs/program.js';
import { RunningProcess } from '../../support/programs/running-process.js';

const ORGANIZATION = 'org_halfbright';
const WEBSITE = 'site_halfbright';
/** Every build exceeds it, and has to wait a few times. */
const LIMIT = { RATE_LIMIT_MAX: '15', RATE_LIMIT_WINDOW_SECONDS: '5' };
/** What each example reads its settings from. */
const SETTINGS_FILES = { astro: '.env', nextjs: '.env.local' };
const SECRET = `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`;

type Example = keyof typeof SETTINGS_FILES;

interface Key {
  readonly id: string;
  readonly key: string;
}

/** What `npm start` starts, with a webhook for the website that runs at `site`. */
export class DemoService {
  private constructor(
    readonly folder: string,
    readonly program: RunningProgram,
    readonly site: string,
    readonly origin: string,
    readonly adminOrigin: string,
    private key: Key,
  ) {}

  static async start(): Promise<DemoService> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-websites-'));
    const site = `http://127.0.0.1:${await freePort()}`;
    const endpoint = { url: `${site}/api/revalidate`, organization: ORGANIZATION, secret: SECRET };
    await writeFile(join(folder, 'webhooks.yaml'), JSON.stringify({ endpoints: [endpoint] }));
    const ports = { PORT: '0', ADMIN_PORT: `${await freePort()}` };
    const settings = { ...ports, ...LIMIT, WEBHOOKS: 'webhooks.yaml' };
    const program = new RunningProgram(['embedded'], settings, folder);
    const origin = await program.printed(/curl .*'(http:\/\/[^/]+)/);
    const adminOrigin = await program.printed(/"adminAddress":"([^"]+)"/);
    const service = new DemoService(folder, program, site, origin, adminOrigin, await createKey(folder));
    await service.answers(200);
    return service;
  }

  async get(path: string, { key } = this.key): Promise<Response> {
    for (;;) {
      const response = await fetch(`${this.origin}/api/v1${path}`, { headers: { 'X-API-Key': key } });
      if (response.status !== 429) return response;
      await pause(Number(response.headers.get('Retry-After')) * 1_000);
    }
  }

  async newest(): Promise<{ slug: string; title: string }> {
    const response = await this.get(`/blogs?website_id=${WEBSITE}`);
    const { data } = (await response.json()) as { data: [{ slug: string; title: string }] };
    return data[0];
  }

  /** Changes the title of the newest blog in the dashboard. */
  async edit(title: string): Promise<void> {
    await endOf(new RunningProgram(['demo:edit', '--title', title], {}, this.folder));
  }

  /** As the guide says: `use` gives the website a new key, then the old one is revoked. */
  async replaceKey(use: () => Promise<unknown>): Promise<void> {
    const old = this.key;
    this.key = await createKey(this.folder);
    await this.answers(200);
    await use();
    await this.revoke(old);
  }

  async revoke(key = this.key): Promise<void> {
    await keys(this.folder, 'revoke', '--id', key.id);
    await this.answers(401, key);
  }

  private answers(status: number, key = this.key): Promise<void> {
    return eventually(async () => {
      const answer = await this.get('/tags', key);
      if (answer.status !== status) throw new Error(`The API answers ${answer.status} to the key ${key.id}`);
    });
  }

  /** Installs a copy of the example, as its README says, and returns its folder. */
  async install(example: Example): Promise<string> {
    const copy = join(this.folder, example);
    const isOurs = (path: string) => !/node_modules|\.next|dist|\.env(\.local)?$/.test(path);
    await cp(`docs/examples/${example}`, copy, { recursive: true, filter: isOurs });
    await this.configure(example);
    await npm(copy, 'install', '--no-audit', '--no-fund');
    return copy;
  }

  /** Gives the copy of the example the present key. */
  async configure(example: Example): Promise<void> {
    const settings = {
      API_ORIGIN: this.origin,
      API_KEY: this.key.key,
      WEBSITE_ID: WEBSITE,
      WEBHOOK_SECRET: SECRET,
      SITE_ORIGIN: this.site,
    };
    const lines = Object.entries(settings).map(([variable, value]) => `${variable}=${value}\n`);
    await writeFile(join(this.folder, example, SETTINGS_FILES[example]), lines.join(''));
  }

  /** Serves the example of Next.js at `site`, when it was installed and built. */
  async serveNextjs(): Promise<RunningProcess> {
    await this.configure('nextjs');
    const { port } = new URL(this.site);
    const command = ['node_modules/next/dist/bin/next', 'start', '--port', port];
    const server = new RunningProcess(process.execPath, command, process.env, join(this.folder, 'nextjs'));
    await server.printed(/Ready/);
    return server;
  }

  async end(): Promise<void> {
    await this.program.end('SIGTERM');
    await rm(this.folder, { recursive: true });
  }
}

/** Runs npm in a folder, and returns what it prints. */
export function npm(folder: string, ...args: readonly string[]): Promise<string> {
  return endOf(new RunningProcess('npm', args, { ...process.env, CI: 'true' }, folder));
}

async function createKey(folder: string): Promise<Key> {
  return JSON.parse(await keys(folder, 'create', '--organization', ORGANIZATION, '--json'));
}

async function keys(folder: string, ...args: readonly string[]): Promise<string> {
  const dashboard = await urlOfRunning(join(folder, '.data/postgres'), 'dashboard');
  return endOf(new RunningProgram(['keys', ...args], { WRITE_DATABASE_URL: dashboard ?? '' }));
}

async function endOf(command: RunningProcess): Promise<string> {
  if ((await command.exitCode()) !== 0) throw new Error(command.output);
  return command.output;
}

/** Null: there is no Chromium. */
export function chromium(...args: readonly string[]): string | null {
  const all = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', ...args];
  const { error, stdout } = spawnSync('chromium', all, { encoding: 'utf8' });
  return error === undefined ? stdout : null;
}
