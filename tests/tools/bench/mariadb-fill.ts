import { migrate, migrateDashboard } from '../../../src/programs/migrate/migrate.js';
import { startMariaDb } from '../../qa/support/servers/test-mariadb.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { RunningProgram } from '../../support/programs/program.js';
import { environmentOf } from '../../support/programs/running-programs.js';
import { atLeast, atMost, median, type Note } from './figures.js';
import { timed } from './long-work.js';

const BLOGS = 100_000;
const ROUNDS = 3;
const PROMISED_FILLED = 1_000;
const PROMISED_UNCHANGED = 4_000;
const PROMISED_MEGABYTES = 400;

/** Each blog has 2 KB of HTML in pieces without a pattern, a category and two tags. */
const MARIADB_CONTENT = [
  `insert into organizations (id, name) values ('large', 'Large')`,
  `insert into websites (id, organization_id, name) values ('web', 'large', 'Large')`,
  `insert into categories (id, website_id, name, slug) select concat('category_', seq), 'web', concat('Category ', seq), concat('category-', seq) from seq_0_to_19`,
  `insert into tags (id, website_id, name, slug) select concat('tag_', seq), 'web', concat('Tag ', seq), concat('tag-', seq) from seq_0_to_99`,
  `create table piece (n int primary key, text text)`,
  `insert into piece select n.seq, group_concat(md5(concat(n.seq, ' ', part.seq)) separator '') from seq_0_to_499 as n, seq_1_to_8 as part group by n.seq`,
  `insert into blogs (id, website_id, title, slug, excerpt, content_html, status, published_at)
   select concat('blog_', seq), 'web', concat('Blog ', seq, ' ', md5(seq)), concat('blog-', seq), concat('What blog ', seq, ' is about'),
     concat('<p>', ${Array.from({ length: 8 }, (_, part) => `(select text from piece where n = (seq * ${7 * (part + 1)} + seq) % 500)`).join(`, ' ', `)}, '</p>'),
     'published', timestamp('2026-01-01') - interval (seq * 7919 % ${BLOGS}) minute from seq_1_to_${BLOGS}`,
  `insert into blog_categories select concat('blog_', seq), concat('category_', seq % 20) from seq_1_to_${BLOGS}`,
  `insert into blog_tags select concat('blog_', n.seq), concat('tag_', (n.seq + 37 * more.seq) % 100) from seq_1_to_${BLOGS} as n, seq_0_to_1 as more`,
  'analyze table blogs, blog_categories, blog_tags',
];

export async function measureMariaDbFill(note: Note): Promise<void> {
  const server = await startMariaDb(['--innodb-buffer-pool-size=512M']);
  try {
    const writeDatabaseUrl = await server.createDatabase('dashboard');
    await migrateDashboard(writeDatabaseUrl, () => {});
    const dashboard = openMysqlDashboard(writeDatabaseUrl);
    for (const statement of MARIADB_CONTENT) await dashboard.raw(statement);
    await dashboard.destroy();
    await measureFillFrom(writeDatabaseUrl, note);
  } finally {
    await server.stop();
  }
}

/** Measures a fill of empty read tables and a rebuild after it, in turn. */
async function measureFillFrom(writeDatabaseUrl: string, note: Note): Promise<void> {
  const [filled, unchanged, megabytes]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const databases = { writeDatabaseUrl, readDatabaseUrl: await createTestDatabase() };
    await migrate(databases, () => {});
    for (const seconds of [filled, unchanged]) {
      const rebuilt = await timed(new RunningProgram(['sync', '--rebuild'], environmentOf(databases)));
      seconds.push(rebuilt.seconds);
      megabytes.push(rebuilt.megabytes);
    }
  }
  const rate = (what: string, seconds: readonly number[], promised: number) =>
    atLeast(what, BLOGS / median(seconds), promised, ' blogs/s');
  note(
    rate(`a fill with ${BLOGS} blogs from MariaDB`, filled, PROMISED_FILLED),
    rate('a rebuild from MariaDB where nothing changed', unchanged, PROMISED_UNCHANGED),
    atMost('memory of the sync worker, from MariaDB', Math.max(...megabytes), PROMISED_MEGABYTES, ' MB'),
  );
}
