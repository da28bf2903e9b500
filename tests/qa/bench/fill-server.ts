import { execFile } from 'node:child_process';
import { access, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql/15/bin';
/** PostgreSQL does not run as root. */
const NOBODY = 65_534;

/** A PostgreSQL on which the fill is measured. */
export interface FillServer {
  readonly name: string;
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startEmbedded(): Promise<FillServer> {
  return {
    name: 'the PostgreSQL of the tests',
    createDatabase: () => createTestDatabase(),
    stop: async () => {},
  };
}

/** PostgreSQL as Debian builds it, with JIT compilation; null if it is not installed. */
export async function startDebians(): Promise<FillServer | null> {
  try {
    await access(join(DEBIAN, 'postgres'));
  } catch {
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-fill-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY, cwd: folder } : { cwd: folder };
  const port = await freePort();
  const data = join(folder, 'data');
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  await run(
    join(DEBIAN, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C.UTF-8', '-E', 'UTF8'],
    user,
  );
  await run(
    join(DEBIAN, 'pg_ctl'),
    ['-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start'],
    user,
  );
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  return {
    name: "Debian's PostgreSQL 15",
    createDatabase: async (name) => {
      const client = new pg.Client(urlOf('postgres'));
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop: async () => {
      await run(join(DEBIAN, 'pg_ctl'), ['-D', data, '-m', 'fast', 'stop'], user);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
