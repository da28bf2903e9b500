import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { keptFolder } from '../kept-folder.js';
import { StrapiAdmin } from './strapi-admin.js';

/**
 * Its `overrides` pin two build tools of the panel, which is not built here, to versions that npm has for every
 * platform.
 */
const APP = fileURLToPath(new URL('app', import.meta.url));
/**
 * npm takes the newest versions of that day, so that every run installs the same packages without a lock file. Raise
 * it together with the versions in `app/package.json`.
 */
const BEFORE = '2026-11-20';
/** Strapi needs no install scripts on PostgreSQL. */
const INSTALL = [
  ...['install', `--before=${BEFORE}`, '--no-package-lock'],
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
];
const HOST = '127.0.0.1';

/** The Strapi of `app`, in a separate process on a free port. */
export class Strapi {
  private constructor(
    private readonly server: RunningProcess,
    private readonly folder: string,
    /** Signed in as the only administrator. */
    readonly admin: StrapiAdmin,
  ) {}

  /** Needs a database that is empty or was filled by an earlier Strapi. */
  static async start(databaseUrl: string): Promise<Strapi> {
    const packages = await installedPackages();
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-strapi-'));
    await cp(APP, folder, { recursive: true });
    await mkdir(join(folder, 'public', 'uploads'), { recursive: true });
    await symlink(packages, join(folder, 'node_modules'));
    const port = await freePort();
    const program = join(packages, '@strapi', 'strapi', 'bin', 'strapi.js');
    const environment = environmentOf(databaseUrl, port);
    const server = new RunningProcess(process.execPath, [program, 'start'], environment, folder);
    try {
      await server.printed(/Strapi started successfully/);
      return new Strapi(server, folder, await StrapiAdmin.signIn(`http://${HOST}:${port}`));
    } catch (error) {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.server.end('SIGTERM');
    await rm(this.folder, { recursive: true });
  }
}

/** The `node_modules` of the app, from npm. */
async function installedPackages(): Promise<string> {
  const packages = await readFile(join(APP, 'package.json'));
  const versions = createHash('sha256').update(packages).update(BEFORE).digest('hex');
  const installed = await keptFolder(versions.slice(0, 16), async (folder) => {
    await cp(join(APP, 'package.json'), join(folder, 'package.json'));
    const npm = new RunningProcess('npm', INSTALL, process.env, folder);
    if ((await npm.exitCode()) !== 0) throw new Error(`npm cannot install ${APP}:\n${npm.output}`);
  });
  return join(installed, 'node_modules');
}

function environmentOf(databaseUrl: string, port: number): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    TZ: 'UTC',
    NODE_ENV: 'production',
    HOST,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    APP_KEY: 'of-a-test',
    ADMIN_JWT_SECRET: 'of-a-test',
    API_TOKEN_SALT: 'of-a-test',
    STRAPI_TELEMETRY_DISABLED: 'true',
  };
}
