import { access, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../src/adapters/embedded/embedded-postgres.js';

const DEBIAN = '/usr/lib/postgresql/15';

/** A PostgreSQL that the fill is measured on, in a folder of its own. */
export interface FillServer {
  readonly name: string;
  readonly postgres: EmbeddedPostgres;
  stop(): Promise<void>;
}

export async function startEmbedded(): Promise<FillServer> {
  return start('the embedded PostgreSQL', await newFolder());
}

/** As Debian builds it, with a compiler of queries; null: it is not installed. */
export async function startDebians(): Promise<FillServer | null> {
  try {
    await access(join(DEBIAN, 'bin', 'postgres'));
  } catch {
    return null;
  }
  const directory = await newFolder();
  const native = join(directory, 'native');
  await mkdir(native);
  await writeFile(join(native, 'pg-symlinks.json'), '[]');
  for (const part of ['bin', 'lib']) await symlink(join(DEBIAN, part), join(native, part));
  return start("Debian's PostgreSQL 15", directory, native);
}

async function start(name: string, directory: string, native?: string): Promise<FillServer> {
  const options = { durable: false, ...(native === undefined ? {} : { native }) };
  const postgres = await EmbeddedPostgres.start(join(directory, 'server'), options);
  return {
    name,
    postgres,
    stop: async () => {
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'blog-read-api-fill-'));
}
