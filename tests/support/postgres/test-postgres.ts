import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../src/adapters/embedded/embedded-postgres.js';
import { forcedImage, startPostgresContainer } from '../containers.js';
import { ofTheRun } from '../of-the-run.js';
import { noteUse } from '../run-notes.js';

const NAME = 'PostgreSQL';

interface Server {
  /** The URL of a database whose user may create others. */
  readonly url: string;
  stop(): Promise<void>;
}

const run = ofTheRun<{ server: Promise<Server> | null }>('postgres', { server: null });

type Fill = (url: string) => Promise<void>;

/** The template databases, by server and by the function that filled them. */
const templates = new Map<string, Map<Fill, Promise<string>>>();

/** A new, empty database on the PostgreSQL of this test run, which is always a real one. */
export function createTestDatabase(encoding = 'UTF8'): Promise<string> {
  const other = `encoding '${encoding}' template template0 locale_provider libc locale 'C'`;
  return createDatabase(encoding === 'UTF8' ? '' : other);
}

/** A new database with this content. It is filled once in this process; further copies take a fraction of the time. */
export async function createCopyOf(fill: Fill): Promise<string> {
  const { url } = await testServer();
  const ofServer = templates.get(url) ?? new Map<Fill, Promise<string>>();
  templates.set(url, ofServer);
  const template = ofServer.get(fill) ?? createFilled(fill);
  ofServer.set(fill, template);
  return createDatabase(`template ${new URL(await template).pathname.slice(1)}`);
}

async function createFilled(fill: Fill): Promise<string> {
  const url = await createTestDatabase();
  await fill(url);
  return url;
}

async function createDatabase(options: string): Promise<string> {
  const { url } = await testServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name} ${options}`);
  await client.end();
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}

export async function stopTestPostgres(): Promise<void> {
  if (run.server !== null) await (await run.server).stop();
  run.server = null;
}

function testServer(): Promise<Server> {
  run.server ??= startServer();
  return run.server;
}

async function startServer(): Promise<Server> {
  const url = process.env.TEST_DATABASE_URL;
  const image = forcedImage('TEST_POSTGRES');
  if (url === undefined || url === '') return image === null ? startEmbedded() : startContainer(image);
  noteUse(NAME, 'TEST_DATABASE_URL');
  return { url, stop: async () => {} };
}

async function startContainer(image: string): Promise<Server> {
  const { url, stop } = await startPostgresContainer(image);
  noteUse(NAME, `Testcontainers (${image})`);
  return { url: `${url}/postgres`, stop };
}

async function startEmbedded(): Promise<Server> {
  noteUse(NAME, 'the embedded one (set TEST_DATABASE_URL for another)');
  const directory = await mkdtemp(join(tmpdir(), 'blog-read-api-test-'));
  const postgres = await EmbeddedPostgres.start(directory, { durable: false });
  return {
    url: await postgres.ensureDatabase('test'),
    stop: async () => {
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
