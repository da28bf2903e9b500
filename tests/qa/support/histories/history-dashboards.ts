import { readFile } from 'node:fs/promises';
import { dashboardOf } from '../../../../src/composition/dashboard-of.js';
import { DASHBOARD_MIGRATIONS, MYSQL_SCHEMA } from '../../../../src/composition/project-folders.js';
import { openMysqlDashboard } from '../../../support/dashboards/mysql-dashboard.js';
import { runSql } from '../../../support/postgres/run-sql.js';
import { createCopyOf } from '../../../support/postgres/test-postgres.js';
import { SyncedDatabases } from '../../../support/sync/synced-databases.js';
import { DASHBOARD_TABLES, MysqlSyncedDatabases } from '../dashboards/mysql-synced-databases.js';
import { createTestMariaDbDatabase } from '../servers/test-mariadb.js';

export type Engine = 'postgres' | 'mysql';

/** The ids of these tables, and what refers to them. Those of other tables are told apart to the byte. */
const CASELESS =
  /(\b(?:websites|blogs|categories) \(\s+id|\b(?:website|parent|blog|category)_id) (text|varchar\(255\) character set utf8mb4)(?: collate utf8mb4_bin)?/g;
/** A column of MySQL whose values follow from others, without being stored. */
export function virtualColumn(prefix: string): string {
  return `meta_title mediumtext character set utf8mb4 generated always as (concat('${prefix}', title)) virtual`;
}
const VIRTUAL = virtualColumn('Meta of ');
const SPARE = 'spare_blog_tags';
const REFERENCES_OF_SPARE = `alter table ${SPARE} add foreign key (blog_id) references blogs (id) on delete cascade,
  add foreign key (tag_id) references tags (id) on delete cascade`;

/** The dashboards of histories: the reference schema with ids that ignore case, and with a table for swaps. */
export const HISTORY_DASHBOARDS = {
  postgres: {
    create: () => SyncedDatabases.create(() => createCopyOf(makeCapturedOnPostgres)),
    swapTables: `alter table blog_tags rename to former; alter table ${SPARE} rename to blog_tags; alter table former rename to ${SPARE}`,
    /** What undoes changes of tables. */
    undo: [],
  },
  mysql: {
    create: async (context: Mocha.Context) => {
      const url = await createTestMariaDbDatabase(context);
      await makeOnMysql(url);
      return MysqlSyncedDatabases.createAt(url, () => createCopyOf(makeOnPostgres));
    },
    swapTables: `rename table blog_tags to former, ${SPARE} to blog_tags, former to ${SPARE}`,
    undo: [`alter table blogs modify column ${VIRTUAL}`],
  },
} as const;

export function engineOf(databases: SyncedDatabases): Engine {
  return databases instanceof MysqlSyncedDatabases ? 'mysql' : 'postgres';
}

/** The URL for an editor of the dashboard, who owns its tables. */
export function editorUrl(databases: SyncedDatabases): string {
  return databases instanceof MysqlSyncedDatabases ? databases.dashboardUrl : databases.writeDatabaseUrl;
}

/** What `npm run migrate` does: it captures changes of new tables, too. */
export function captureChanges(writeDatabaseUrl: string): Promise<void> {
  return dashboardOf({ writeDatabaseUrl }).migrate(() => {});
}

/** Replaces the tables by new ones without rows, whose changes are captured. */
export async function remakeDashboard(databases: SyncedDatabases): Promise<void> {
  const url = editorUrl(databases);
  if (databases instanceof MysqlSyncedDatabases) {
    await databases.dashboard.raw(`drop table ${[SPARE, ...DASHBOARD_TABLES.toReversed()].join(', ')}`);
    await makeOnMysql(url);
    await captureChanges(url);
  } else {
    await databases.dashboard.raw('drop schema public, content_sync cascade; create schema public');
    await makeCapturedOnPostgres(url);
  }
}

async function makeCapturedOnPostgres(url: string): Promise<void> {
  await makeOnPostgres(url);
  await captureChanges(url);
}

async function makeOnPostgres(url: string): Promise<void> {
  const schema = await schemaIn(DASHBOARD_MIGRATIONS.directory, 'caseless');
  await runSql(
    url,
    `create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false); ${schema};
    create table ${SPARE} (like blog_tags including all); ${REFERENCES_OF_SPARE}`,
  );
}

async function makeOnMysql(url: string): Promise<void> {
  const schema = (await schemaIn(MYSQL_SCHEMA, 'utf8mb4_general_ci')).replace(
    'meta_title mediumtext character set utf8mb4',
    VIRTUAL,
  );
  const tables = schema.split(/;\n/).filter((statement) => statement.trim() !== '');
  const database = openMysqlDashboard(url);
  try {
    for (const statement of [...tables, `create table ${SPARE} like blog_tags`, REFERENCES_OF_SPARE])
      await database.raw(statement);
  } finally {
    await database.destroy();
  }
}

async function schemaIn(folder: URL, caseless: string): Promise<string> {
  const sql = await readFile(new URL('0001_reference_schema.sql', folder), 'utf8');
  return sql.replace(CASELESS, `$1 $2 collate ${caseless}`);
}
