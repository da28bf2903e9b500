import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { installedPackages } from '../installed-packages.js';

const APP = fileURLToPath(new URL('app', import.meta.url));

export type Document = Readonly<Record<string, unknown>> & { readonly id: number };
type Options = Readonly<Record<string, unknown>> & { readonly collection: string };

/** The Payload of `app`, in a separate process on a free port. */
export class Payload {
  private constructor(
    private readonly server: RunningProcess,
    private readonly folder: string,
    private readonly url: string,
  ) {}

  /** Creates its tables in an empty database. */
  static async start(databaseUrl: string): Promise<Payload> {
    const packages = await installedPackages(APP);
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-payload-'));
    await cp(APP, folder, { recursive: true });
    await symlink(packages, join(folder, 'node_modules'));
    const port = await freePort();
    const environment = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, PORT: String(port) };
    const server = new RunningProcess(process.execPath, ['server.js'], environment, folder);
    try {
      await server.printed(/Payload started/);
      return new Payload(server, folder, `http://127.0.0.1:${port}`);
    } catch (error) {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  create(collection: string, data: object, options: object = {}): Promise<Document> {
    return this.#call('create', { collection, data, ...options });
  }

  update(collection: string, { id }: Document, data: object, options: object = {}): Promise<Document> {
    return this.#call('update', { collection, id, data, ...options });
  }

  delete(collection: string, { id }: Document, options: object = {}): Promise<Document> {
    return this.#call('delete', { collection, id, ...options });
  }

  async stop(): Promise<void> {
    await this.server.end('SIGTERM');
    await rm(this.folder, { recursive: true });
  }

  async #call(operation: string, options: Options): Promise<Document> {
    const body = JSON.stringify({ operation, ...options });
    const response = await fetch(this.url, { method: 'POST', body });
    const text = await response.text();
    if (!response.ok) throw new Error(`Payload cannot ${operation}: ${text}`);
    return JSON.parse(text);
  }
}
