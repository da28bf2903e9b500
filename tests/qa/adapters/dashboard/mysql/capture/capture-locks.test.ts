import { expect } from 'chai';
import type { Knex } from 'knex';
import mysql from 'mysql2/promise';
import type { Captures } from '../../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { installCapture } from '../../../../../../src/adapters/dashboard/mysql/capture/capture.js';
import { mappingWith, openMysqlDashboard } from '../../../../../support/dashboards/mysql-dashboard.js';
import { createTestMariaDbDatabase } from '../../../../support/servers/test-mariadb.js';

const TABLES = [
  'create table sites (id int primary key)',
  `create table posts (id int primary key, site_id int, title varchar(50),
    foreign key (site_id) references sites (id) on delete cascade)`,
  `create table tags (id int primary key, site_id int, foreign key (site_id) references sites (id) on delete cascade)`,
  `create table posts_tags (post_id int, tag_id int, primary key (post_id, tag_id),
    foreign key (post_id) references posts (id) on delete cascade,
    foreign key (tag_id) references tags (id) on delete cascade)`,
  // The index of its foreign key does not contain the column of its key.
  `create table pages (id int primary key, site_id int, number int, foreign key (site_id) references sites (id) on delete cascade)`,
];
const CAPTURES: Captures = {
  sites: { websites: 'id' },
  posts: { blogs: 'id' },
  tags: { tags: 'id' },
  posts_tags: { blogs: 'post_id' },
  pages: { blogs: 'number' },
};
const MAPPING = mappingWith(CAPTURES, 'select id, title, number from posts, pages');
const CONTENT = [
  'insert into sites values (1), (2)',
  `insert into posts values (1, 1, 'A'), (2, 1, 'B'), (3, 2, 'C'), (4, 2, 'D'), (5, 2, 'E')`,
  'insert into tags values (1, 1), (2, 1), (3, 2)',
  'insert into posts_tags values (1, 1), (1, 2), (2, 1), (3, 3), (4, 3), (5, 3)',
  'insert into pages select seq, if(seq < 90, 1, 2), -seq from seq_1_to_100',
];

describe('The change capture in MariaDB, next to other sessions,', () => {
  let url: string;
  let database: Knex;

  beforeEach(async function () {
    url = await createTestMariaDbDatabase(this);
    database = openMysqlDashboard(url);
    for (const statement of [...TABLES, ...CONTENT]) await database.raw(statement);
    await installCapture(database, MAPPING);
    await database.raw('delete from content_sync_changes');
  });

  afterEach(async () => {
    await database?.destroy();
  });

  async function as(work: (session: mysql.Connection) => Promise<void>): Promise<void> {
    const session = await mysql.createConnection(url);
    return work(session).finally(() => session.end());
  }

  async function queued(): Promise<string[]> {
    const [rows] = await database.raw(
      `select concat_ws(' ', kind, entity_key) as change_of from content_sync_changes order by 1`,
    );
    return (rows as { change_of: string }[]).map((row) => row.change_of);
  }

  for (const isolation of ['repeatable read', 'read committed']) {
    for (const [deletion, others] of [
      [
        'delete from tags where id = 1',
        [`delete from posts_tags where tag_id = 3`, `delete from tags where id = 3`],
      ],
      [
        'delete from sites where id = 1',
        [
          'update posts set title = 1 where id = 3',
          'delete from posts where id = 4',
          'update pages set number = 1 where id = 95',
        ],
      ],
    ] as const) {
      it(`locks no rows that \`${deletion}\` does not delete, at ${isolation}`, async () => {
        await as(async (deleting) => {
          await deleting.query(`set session transaction isolation level ${isolation}`);
          await deleting.query('begin');
          await deleting.query(deletion);
          await as(async (other) => {
            await other.query(`set session transaction isolation level ${isolation}`);
            await other.query('set session innodb_lock_wait_timeout = 0');
            for (const statement of others) await other.query(statement);
          });
        });
      });
    }
  }

  it('lets a session lock and write tables, whichever session has read the queue before', async () => {
    await database.raw('select count(*) from content_sync_changes');
    await as(async (restoring) => {
      for (const statement of [
        'lock tables posts write, posts_tags write, tags write',
        `insert into posts values (6, 1, 'F')`,
        `update posts set title = 'x' where id = 6`,
        'insert into posts_tags values (6, 1)',
        'delete from tags where id = 1',
        'unlock tables',
      ]) {
        await restoring.query(statement);
      }
    });
    expect([...new Set(await queued())]).to.eql(['blogs 1', 'blogs 2', 'blogs 6', 'tags 1']);
  });

  for (const missing of [
    'drop function content_sync_note',
    'rename table content_sync_changes to elsewhere',
  ]) {
    it(`prevents no write after \`${missing}\`, as in a copy of the database`, async () => {
      await database.raw(missing);
      await database.raw(`insert into posts values (6, 1, 'F')`);
      await database.raw(`update posts set title = 'x' where id = 6`);
      await database.raw('delete from posts where id = 6');
    });
  }
});
