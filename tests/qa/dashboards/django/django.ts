import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../../../support/find-program.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { noteUse, skipWithout } from '../../../support/run-notes.js';
import { keptFolder } from '../kept-folder.js';

const run = promisify(execFile);
const APP = fileURLToPath(new URL('app', import.meta.url));
/** Of Debian or Ubuntu. They are unpacked, not installed, which takes no administrator. */
const PACKAGES = [
  ...['python3-django', 'python3-asgiref', 'python3-sqlparse', 'python3-tz', 'python3-psycopg2', 'libpq5'],
  ...['python3-django-parler', 'python3-django-taggit'],
];
/** The modules, and the libraries of PostgreSQL that one of them needs. */
const MODULES = join('usr', 'lib', 'python3', 'dist-packages');
const LIBRARIES = join('usr', 'lib', 'x86_64-linux-gnu');

/** Without Python or these packages, the tests are skipped. */
export async function djangoForTests(context: Mocha.Context): Promise<NodeJS.ProcessEnv> {
  const python = findProgram('python3');
  if (python === null) return skipWithout(context, 'Python (install python3)');
  const folder = await keptFolder('django', unpackIn).catch(() => null);
  const environment = {
    PATH: process.env.PATH,
    PYTHONDONTWRITEBYTECODE: '1',
    ...(folder && { PYTHONPATH: join(folder, MODULES), LD_LIBRARY_PATH: join(folder, LIBRARIES) }),
  };
  const isThere = await run(python, ['-c', 'import django, psycopg2'], { env: environment }).catch(
    () => null,
  );
  if (isThere === null) return skipWithout(context, `Django (apt-get download ${PACKAGES.join(' ')})`);
  noteUse('Django', folder ?? python);
  return environment;
}

async function unpackIn(folder: string): Promise<void> {
  await run('apt-get', ['download', ...PACKAGES], { cwd: folder });
  for (const file of await readdir(folder)) await run('dpkg-deb', ['--extract', file, '.'], { cwd: folder });
}

export interface Saved {
  readonly id: number;
  /** The ids of its translations, by language. */
  readonly translations: Readonly<Record<string, number>>;
}

/** The Django of `app`, in a process of its own. */
export class Django {
  private constructor(
    private readonly server: RunningProcess,
    private readonly port: string,
  ) {}

  /** Creates its tables in an empty database. */
  static async start(environment: NodeJS.ProcessEnv, databaseUrl: string): Promise<Django> {
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const [HOST, PORT, USER, PASSWORD] = [hostname, port, username, password].map(decodeURIComponent);
    const DATABASE = JSON.stringify({ HOST, PORT, USER, PASSWORD, NAME: pathname.slice(1) });
    const server = new RunningProcess('python3', ['server.py'], { ...environment, DATABASE }, APP);
    return new Django(server, await server.printed(/Django listens on port (\d+)/));
  }

  find(model: string, fields: object): Promise<Saved> {
    return this.#call({ call: 'find', model, ...fields });
  }

  save(model: string, fields: object): Promise<Saved> {
    return this.#call({ call: 'save', model, ...fields });
  }

  untranslate(model: string, { id }: Saved, language: string): Promise<unknown> {
    return this.#call({ call: 'untranslate', model, id, language });
  }

  delete(model: string, { id }: Saved): Promise<unknown> {
    return this.#call({ call: 'delete', model, id });
  }

  async stop(): Promise<void> {
    await this.server.end('SIGTERM');
  }

  async #call(call: object): Promise<Saved> {
    const response = await fetch(`http://127.0.0.1:${this.port}`, {
      method: 'POST',
      body: JSON.stringify(call),
    }).catch(() => null);
    if (response === null) throw new Error(`Django failed:\n${this.server.output}`);
    return ((await response.json()) as { result: Saved }).result;
  }
}
