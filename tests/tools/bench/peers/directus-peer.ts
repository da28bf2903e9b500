import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../../src/adapters/embedded/free-port.js';
import { keptFolder } from '../../../qa/dashboards/kept-folder.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { processorTimeOfAll } from '../processor-time.js';
import { BLOGS_OF_EACH, ORGANIZATIONS } from '../read-stage.js';
import type { Peer } from './peer.js';

const VERSION = '12.4.0';
/** It needs no install scripts for PostgreSQL. Its packages name peers that npm does not have together. */
const INSTALL = [
  'install',
  '--ignore-scripts',
  '--legacy-peer-deps',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];
const SANDBOX = 'node_modules/isolated-vm/out';
const TOKEN = 'the-key-of-the-bench';

const TABLES = `
  create table websites (id text primary key);
  create table categories (id text primary key, name text, slug text);
  create table blogs (id text primary key, website text references websites, title text, slug text, excerpt text,
    content text, published_at timestamptz);
  create index on blogs (website, published_at);
  create table blogs_categories (id serial primary key, blogs_id text references blogs, categories_id text references categories);
  create index on blogs_categories (blogs_id);
  insert into directus_collections (collection) values ('websites'), ('categories'), ('blogs'), ('blogs_categories');
  insert into directus_fields (collection, field, special) values ('blogs', 'categories', 'm2m');
  insert into directus_relations (many_collection, many_field, one_collection, one_field, junction_field) values
    ('blogs_categories', 'blogs_id', 'blogs', 'categories', 'categories_id'),
    ('blogs_categories', 'categories_id', 'categories', null, 'blogs_id');`;

const CONTENT = `
  insert into websites select 'website-' || n from generate_series(1, ${ORGANIZATIONS}) as n;
  insert into categories select 'category-' || n, 'Category', 'category' from generate_series(1, ${ORGANIZATIONS}) as n;
  insert into blogs select 'blog-' || w || '-' || n, 'website-' || w, 'Blog ' || n || ' ' || md5(w || ' ' || n), 'blog-' || n,
    'What blog ' || n || ' is about', '<p>' || repeat('Words. ', 840) || '</p>', now() - n * interval '1 minute'
  from generate_series(1, ${ORGANIZATIONS}) as w, generate_series(1, ${BLOGS_OF_EACH}) as n;
  insert into blogs_categories (blogs_id, categories_id) select id, replace(website, 'website', 'category') from blogs;`;

const LIST =
  '/items/blogs?fields=id,title,slug,excerpt,published_at,categories.categories_id.name,categories.categories_id.slug' +
  '&filter[website][_eq]=website-1&sort=-published_at&limit=20&meta=filter_count';

/** Directus with its cache in memory. */
export async function startDirectus(): Promise<Peer> {
  const folder = await keptFolder(`directus-${VERSION}`, async (unfinished) => {
    const dependencies = { directus: VERSION };
    await writeFile(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const npm = new RunningProcess('npm', INSTALL, process.env, unfinished);
    if ((await npm.exitCode()) !== 0) throw new Error(`npm cannot install Directus:\n${npm.output}`);
    // It would have to be compiled, and only flows use it.
    await mkdir(join(unfinished, SANDBOX), { recursive: true });
    await writeFile(join(unfinished, SANDBOX, 'isolated_vm.js'), '');
  });
  const url = await createTestDatabase();
  const port = await freePort();
  const environment = environmentOf(url, port);
  const program = join(folder, 'node_modules', 'directus', 'cli.js');
  const run = (command: string) =>
    new RunningProcess(process.execPath, [program, command], environment, folder);
  const bootstrap = run('bootstrap');
  if ((await bootstrap.exitCode()) !== 0)
    throw new Error(`Directus refuses its database:\n${bootstrap.output}`);
  await runSql(url, TABLES + CONTENT);
  const server = run('start');
  await server.printed(/Server started/);
  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    lists: { 'a key checked': LIST },
    header: 'Authorization',
    keys: [`Bearer ${TOKEN}`],
    processorTime: () => processorTimeOfAll(server.pid),
    async revokeKey() {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ token: null });
      const { ok } = await fetch(`${address}/users/me`, { method: 'PATCH', headers, body });
      if (!ok) throw new Error('Directus does not revoke the key');
    },
    stop: async () => void (await server.end('SIGTERM')),
  };
}

function environmentOf(databaseUrl: string, port: number): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    SECRET: 'of-a-test',
    ADMIN_EMAIL: 'editor@example.com',
    ADMIN_PASSWORD: 'Correct-horse-1',
    ADMIN_TOKEN: TOKEN,
    CACHE_ENABLED: 'true',
    CACHE_STORE: 'memory',
    CACHE_TTL: '1h',
    CACHE_STATUS_HEADER: 'X-Cache',
    PRESSURE_LIMITER_ENABLED: 'false',
    TELEMETRY: 'false',
  };
}
