import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { GhostAdmin } from './ghost-admin.js';
import { installedGhost } from './installed-ghost.js';

const HOST = '127.0.0.1';

/** A Ghost in a separate process on a free port. */
export class Ghost {
  private constructor(
    private readonly server: RunningProcess,
    private readonly content: string,
    readonly address: string,
    /** Signed in as the owner. */
    readonly admin: GhostAdmin,
  ) {}

  /** Needs a database of MariaDB or MySQL that is empty or was filled by an earlier Ghost. */
  static async start(databaseUrl: string): Promise<Ghost> {
    const { node, folder } = await installedGhost();
    const content = await mkdtemp(join(tmpdir(), 'blog-read-api-ghost-'));
    await cp(join(folder, 'content'), content, { recursive: true });
    const port = await freePort();
    const address = `http://${HOST}:${port}`;
    const environment = environmentOf(databaseUrl, address, content);
    const server = new RunningProcess(node, ['index.js'], environment, folder);
    try {
      await server.printed(/Ghost booted/);
      return new Ghost(server, content, address, await GhostAdmin.signIn(address));
    } catch (error) {
      await end(server, content);
      throw error;
    }
  }

  stop(): Promise<void> {
    return end(this.server, this.content);
  }
}

/** Killed, because Ghost would wait for all its connections. Everything that it has answered is in the database. */
async function end(server: RunningProcess, content: string): Promise<void> {
  await server.end('SIGKILL');
  await rm(content, { recursive: true });
}

function environmentOf(databaseUrl: string, address: string, content: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    url: address,
    server__host: HOST,
    server__port: new URL(address).port,
    database__client: 'mysql',
    database__connection__host: hostname,
    database__connection__port: port,
    database__connection__user: username,
    database__connection__password: password,
    database__connection__database: pathname.slice(1),
    paths__contentPath: content,
    logging__transports: '["stdout"]',
    mail__transport: 'stub',
    // Without mail nobody could confirm the device.
    security__staffDeviceVerification: 'false',
    // Sends no requests for updates or pictures.
    explore__update_url: '',
    updateCheck__url: 'http://127.0.0.1:9',
    privacy__useTinfoil: 'true',
  };
}
