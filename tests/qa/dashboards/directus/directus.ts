import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { installedPackages } from '../installed-packages.js';
import { DirectusAdmin } from './directus-admin.js';

/**
 * It has the Node that Directus wants. Its `overrides` leave out the sandbox for scripts in flows, which has to be
 * compiled.
 */
export const APP = fileURLToPath(new URL('app', import.meta.url));
const HOST = '127.0.0.1';
const TOKEN = 'the-token-of-the-administrator';

/** A Directus in a separate process on a free port. */
export class Directus {
  private constructor(
    private readonly server: RunningProcess,
    private readonly folder: string,
    readonly admin: DirectusAdmin,
  ) {}

  /** Needs an empty database. Creates the collections. */
  static async start(databaseUrl: string): Promise<Directus> {
    const packages = await installedPackages(APP);
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-directus-'));
    await mkdir(join(folder, 'extensions'));
    const port = await freePort();
    const node = join(packages, `node-${process.platform}-${process.arch}`, 'bin', 'node');
    const environment = environmentOf(databaseUrl, port, folder);
    const run = (command: string) =>
      new RunningProcess(node, [join(packages, 'directus', 'cli.js'), command], environment, folder);
    const bootstrap = run('bootstrap');
    if ((await bootstrap.exitCode()) !== 0) throw new Error(`Directus fails:\n${bootstrap.output}`);
    const server = run('start');
    try {
      await server.printed(/Server started/);
      const admin = new DirectusAdmin(`http://${HOST}:${port}`, TOKEN);
      await admin.createCollections();
      return new Directus(server, folder, admin);
    } catch (error) {
      await end(server, folder);
      throw error;
    }
  }

  stop(): Promise<void> {
    return end(this.server, this.folder);
  }
}

async function end(server: RunningProcess, folder: string): Promise<void> {
  await server.end('SIGKILL');
  await rm(folder, { recursive: true });
}

function environmentOf(databaseUrl: string, port: number, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOST,
    PORT: String(port),
    PUBLIC_URL: 'https://cms.example.com',
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    SECRET: 'a secret of a test, which has 32 bytes',
    ADMIN_EMAIL: 'ada@example.com',
    ADMIN_PASSWORD: 'correct horse battery staple',
    ADMIN_TOKEN: TOKEN,
    STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
    SERVE_APP: 'false',
    TELEMETRY: 'false',
    // It would refuse requests on a busy machine.
    PRESSURE_LIMITER_ENABLED: 'false',
    // Looks for no newer version.
    NO_UPDATE_NOTIFIER: '1',
  };
}
