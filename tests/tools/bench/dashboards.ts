import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { migrate, migrateDashboard } from '../../../src/programs/migrate/migrate.js';
import { startMariaDb } from '../../qa/support/servers/test-mariadb.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { RunningProgram } from '../../support/programs/program.js';
import { environmentOf, leads } from '../../support/programs/running-programs.js';
import { slower, updateOf } from './capture-cost.js';
import { delay, type Figure, type Note } from './figures.js';

/** What the capture costs a MariaDB dashboard, and how soon its edits are shown. */
const BLOGS = 20_000;
const EDITS = 60;
const PROMISED_MS = 1_000;
const BULK = 'update blogs set word_count = word_count + 1';

const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`,
  `insert into blogs (id, website_id, title, slug, status, published_at, content_html)
   select concat('blog_', seq), 'web', 'Title', concat('slug-', seq), 'published', now(), repeat(md5(concat(seq)), 60)
   from seq_1_to_${BLOGS}`,
];

export async function measureDashboards(note: Note): Promise<void> {
  const server = await startMariaDb();
  const opened: Knex[] = [];
  const open = async (url: string) => {
    await migrateDashboard(url, () => {});
    const database = openMysqlDashboard(url);
    opened.push(database);
    return database;
  };
  try {
    const [bareUrl, writeDatabaseUrl] = [
      await server.createDatabase('bare'),
      await server.createDatabase('captured'),
    ];
    const [bare, captured] = [await open(bareUrl), await open(writeDatabaseUrl)];
    const urls = { writeDatabaseUrl, readDatabaseUrl: await createTestDatabase() };
    await migrate(urls, () => {});
    for (const database of [bare, captured]) {
      for (const statement of CONTENT) await database.raw(statement);
    }
    // MariaDB runs triggers for each row.
    note(await slower('change capture in MariaDB: 20,000 rows', [bare, captured], 8, 5, () => BULK));
    note(await slower('change capture in MariaDB: one row', [bare, captured], 1.5, 300, updateOf));
    // The read tables are filled anyway and need no queue.
    await captured.raw('delete from content_sync_changes');
    note(await visibility(captured, urls));
  } finally {
    for (const database of opened) await database.destroy();
    await server.stop();
  }
}

async function visibility(
  dashboard: Knex,
  urls: { writeDatabaseUrl: string; readDatabaseUrl: string },
): Promise<Figure> {
  const worker = new RunningProgram(['sync'], environmentOf(urls));
  const read = openDashboardDatabase(urls.readDatabaseUrl);
  const times: number[] = [];
  try {
    await leads(worker);
    for (let edit = -1; edit < EDITS; edit++) {
      const title = `edit ${edit}`;
      await dashboard.raw(`update blogs set title = '${title}' where id = 'blog_7'`);
      const committedAt = performance.now();
      const blogs = read.withSchema('content_read').from('blogs').where({ id: 'blog_7', title });
      while ((await blogs.clone().first('id')) === undefined) await pause(2);
      // The first edit waits for the first fill.
      if (edit >= 0) times.push(performance.now() - committedAt);
    }
  } finally {
    await worker.end('SIGKILL');
    await read.destroy();
  }
  return delay('dashboard in MariaDB: commit until visible', times, PROMISED_MS);
}
