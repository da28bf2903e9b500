import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { installedPackages } from '../installed-packages.js';
import { StrapiAdmin } from './strapi-admin.js';

/**
 * Its `overrides` pin two build tools of the panel, which is not built here, to versions that npm has for every
 * platform.
 */
const APP = fileURLToPath(new URL('app', import.meta.url));
const HOST = '127.0.0.1';

/** What a Strapi has besides those of `app`. */
interface Addition {
  readonly packages: Readonly<Record<string, string>>;
  /** A folder whose files are added. */
  readonly files: string | null;
}

const NOTHING: Addition = { packages: {}, files: null };

/** The Strapi of `app`, in a separate process on a free port. */
export class Strapi {
  private constructor(
    private readonly server: RunningProcess,
    private readonly folder: string,
    readonly address: string,
    /** Signed in as the only administrator. */
    readonly admin: StrapiAdmin,
  ) {}

  /** Needs a database that is empty or was filled by an earlier Strapi. */
  static async start(databaseUrl: string, added = NOTHING): Promise<Strapi> {
    const packages = await installedPackages(APP, added.packages);
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-strapi-'));
    await cp(APP, folder, { recursive: true });
    if (added.files !== null) await cp(added.files, folder, { recursive: true });
    // Strapi starts the plugins that this file names.
    await cp(join(packages, '..', 'package.json'), join(folder, 'package.json'));
    await mkdir(join(folder, 'public', 'uploads'), { recursive: true });
    await symlink(packages, join(folder, 'node_modules'));
    const port = await freePort();
    const program = join(packages, '@strapi', 'strapi', 'bin', 'strapi.js');
    const environment = environmentOf(databaseUrl, port);
    const server = new RunningProcess(process.execPath, [program, 'start'], environment, folder);
    try {
      await server.printed(/Strapi started successfully/);
      const address = `http://${HOST}:${port}`;
      return new Strapi(server, folder, address, await StrapiAdmin.signIn(address));
    } catch (error) {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  get pid(): number {
    return this.server.pid;
  }

  async stop(): Promise<void> {
    await this.server.end('SIGTERM');
    await rm(this.folder, { recursive: true });
  }
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
