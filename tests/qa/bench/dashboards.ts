import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../src/adapters/postgres/connection/open-database.js';
import { migrate, migrateDashboard } from '../../../src/programs/migrate/migrate.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { findProgram } from '../../support/find-program.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { RunningProgram } from '../../support/programs/program.js';
import { environmentOf, leads } from '../../support/programs/running-programs.js';
import { MariaDbServer } from '../support/servers/mariadb-server.js';
import { atMost, delay, median, type Note } from './figures.js';
import { inTurn, millisecondsOf } from './in-turn.js';

/** What the capture costs a MariaDB dashboard and how soon its edits are shown, in turn with a PostgreSQL dashboard. */
const BLOGS = 20_000;
const ROUNDS = 5;
const SINGLE_UPDATES = 300;
const EDITS = 60;
/** MariaDB runs triggers for each row. */
const PROMISED_BULK_RATIO = 8;
const PROMISED_ROW_RATIO = 1.5;
const PROMISED_MS = 1_000;
const BULK = 'update blogs set word_count = word_count + 1';

const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`,
  `insert into blogs (id, website_id, title, slug, status, published_at, content_html)
   with recursive few (n) as (select 1 union all select n + 1 from few where n < 200),
     numbers (n) as (select (one.n - 1) * 200 + other.n from few as one, few as other where one.n <= ${BLOGS / 200})
   select concat('blog_', n), 'web', 'Title', concat('slug-', n), 'published', now(), repeat(md5(concat(n)), 60) from numbers`,
];

interface Contender {
  readonly url: string;
  readonly database: Knex;
}

export async function measureDashboards(note: Note): Promise<void> {
  const [server, install] = [findProgram('mariadbd'), findProgram('mariadb-install-db')];
  if (server === null || install === null)
    throw new Error('There is no MariaDB here: install mariadb-server');
  const mariaDb = await MariaDbServer.start({ server, install });
  const opened: Knex[] = [];
  const onMariaDb = async (name: string): Promise<Contender> => {
    const url = await mariaDb.createDatabase(name);
    return { url, database: openMysqlDashboard(url) };
  };
  const onPostgres = async (): Promise<Contender> => {
    const url = await createTestDatabase();
    return { url, database: openDashboardDatabase(url) };
  };
  try {
    const [bare, captured, postgres] = [
      await onMariaDb('bare'),
      await onMariaDb('captured'),
      await onPostgres(),
    ];
    const readTables = { captured: await createTestDatabase(), postgres: await createTestDatabase() };
    for (const contender of [bare, captured, postgres]) {
      opened.push(contender.database);
      await migrateDashboard(contender.url, () => {});
    }
    await migrate({ writeDatabaseUrl: captured.url, readDatabaseUrl: readTables.captured }, () => {});
    await migrate({ writeDatabaseUrl: postgres.url, readDatabaseUrl: readTables.postgres }, () => {});
    for (const { database } of [bare, captured, postgres]) {
      for (const statement of CONTENT) await database.raw(statement);
    }
    const bulk = await inTurn([bare, captured], ROUNDS, ({ database }) =>
      millisecondsOf(() => database.raw(BULK)),
    );
    note(slower('20,000 rows', bulk, PROMISED_BULK_RATIO));
    const rows = await inTurn([bare, captured], SINGLE_UPDATES, ({ database }, round) =>
      millisecondsOf(() =>
        database.raw(`update blogs set title = 'new ${round}' where id = 'blog_${round + 1}'`),
      ),
    );
    note(slower('one row', rows, PROMISED_ROW_RATIO));
    // The read tables are filled anyway and need no queue.
    await captured.database.raw('delete from content_sync_changes');
    await postgres.database.raw('delete from content_sync.change_queue');
    await measureVisibility(note, [
      { name: 'MariaDB', dashboard: captured, readDatabaseUrl: readTables.captured },
      { name: 'PostgreSQL', dashboard: postgres, readDatabaseUrl: readTables.postgres },
    ]);
  } finally {
    for (const database of opened) await database.destroy();
    await mariaDb.stop();
  }
}

interface Synced {
  readonly name: string;
  readonly dashboard: Contender;
  readonly readDatabaseUrl: string;
}

async function measureVisibility(note: Note, contenders: readonly Synced[]): Promise<void> {
  const running = contenders.map(({ dashboard, readDatabaseUrl }) => {
    const urls = { writeDatabaseUrl: dashboard.url, readDatabaseUrl };
    return {
      worker: new RunningProgram(['sync'], environmentOf(urls)),
      read: openDashboardDatabase(readDatabaseUrl),
    };
  });
  const times: number[][] = contenders.map(() => []);
  try {
    for (const { worker } of running) await leads(worker);
    for (let edit = -1; edit < EDITS; edit++) {
      for (const [which, { dashboard }] of contenders.entries()) {
        const title = `edit ${edit}`;
        await dashboard.database.raw(`update blogs set title = '${title}' where id = 'blog_7'`);
        const committedAt = performance.now();
        const { read } = running[which] as (typeof running)[number];
        const shown = () =>
          read.withSchema('content_read').from('blogs').where({ id: 'blog_7', title }).first('id');
        while ((await shown()) === undefined) await pause(2);
        // The first edit waits for the first fill.
        if (edit >= 0) times[which]?.push(performance.now() - committedAt);
      }
    }
  } finally {
    for (const { worker, read } of running) {
      await worker.end('SIGKILL');
      await read.destroy();
    }
  }
  for (const [which, { name }] of contenders.entries()) {
    note(delay(`dashboard in ${name}: commit until visible`, times[which] ?? [], PROMISED_MS));
  }
}

function slower(
  what: string,
  [bare, captured]: readonly [readonly number[], readonly number[]],
  promised: number,
) {
  return atMost(
    `change capture in MariaDB: ${what}`,
    median(captured) / median(bare),
    promised,
    ' x as long',
  );
}
