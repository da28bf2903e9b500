import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../../src/adapters/postgres/connection/open-database.js';
import type { RowKind } from '../../../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../../../src/domain/model/source.js';
import { migrate } from '../../../../src/programs/migrate/migrate.js';
import { timestamp } from '../../../support/dashboards/dashboard-rows.js';
import type { DashboardTables } from '../../../support/http/content-of-dashboard.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { SyncedDatabases } from '../../../support/sync/synced-databases.js';
import { PUBLISHING, PUBLISHING_STATES } from './publishing.js';

const MAPPING = fileURLToPath(new URL('./coded-publishing-mapping.yaml', import.meta.url));
const ZONE = 'Asia/Kolkata';

const TABLES = {
  houses: 'gen_random_uuid()::text',
  sites: `nextval('publishing.numbers')`,
  articles: 'gen_random_uuid()',
  sections: `nextval('publishing.numbers')`,
  labels: `nextval('publishing.numbers')`,
  passes: `nextval('publishing.numbers')`,
};
/**
 * Rows refer to each other by numbers. Outside the database they are identified by a code, whose order differs from
 * that of the numbers.
 */
const CODES = `create sequence publishing.numbers; ${Object.entries(TABLES)
  .map(
    ([table, number]) => `alter table publishing.${table} alter no set default ${number},
      add column code text not null unique collate "und-x-icu";`,
  )
  .join(' ')}`;

export class CodedPublishingDatabases extends SyncedDatabases {
  static override async create(): Promise<CodedPublishingDatabases> {
    const [writeDatabaseUrl, readDatabaseUrl] = [await createTestDatabase(), await createReadTables()];
    const dashboard = openDashboardDatabase(writeDatabaseUrl);
    await dashboard.raw(`${PUBLISHING} ${CODES}`);
    const databases = new CodedPublishingDatabases(writeDatabaseUrl, readDatabaseUrl, dashboard, MAPPING);
    await migrate(databases, () => {});
    return databases;
  }
}

type Row = {
  readonly [Kind in RowKind]: (database: Knex, row: SourceTypes[Kind]) => Record<string, unknown>;
};

const TABLE_OF: Readonly<Record<RowKind, string>> = {
  apiKeys: 'publishing.passes',
  categories: 'publishing.sections',
  tags: 'publishing.labels',
  blogs: 'publishing.articles',
};

const numberOf = (database: Knex, table: keyof typeof TABLES, code: string | null) =>
  database.raw('(select no from publishing.?? where code = ?)', [table, code]);
const localTime = (database: Knex, millis: number | null) =>
  database.raw('?::timestamptz at time zone ?', [timestamp(database, millis), ZONE]);

const ROW: Row = {
  apiKeys: (database, { id, organizationId, hash, expiresAt, revokedAt }) => ({
    code: id,
    house: numberOf(database, 'houses', organizationId),
    digest: hash,
    expires_at: localTime(database, expiresAt),
    revoked_at: timestamp(database, revokedAt),
  }),
  categories: (database, { id, websiteId, parentId, name, slug, description, sortOrder }) => ({
    code: id,
    site: numberOf(database, 'sites', websiteId),
    above: numberOf(database, 'sections', parentId),
    label: name,
    path: slug,
    description,
    position: sortOrder,
  }),
  tags: (database, { id, websiteId, name, slug, color }) => ({
    code: id,
    site: numberOf(database, 'sites', websiteId),
    label: name,
    path: slug,
    color,
  }),
  blogs: (database, blog) => ({
    code: blog.id,
    site: numberOf(database, 'sites', blog.websiteId),
    headline: blog.title,
    path: blog.slug,
    excerpt: blog.excerpt,
    meta_title: blog.metaTitle,
    meta_description: blog.metaDescription,
    featured_image_url: blog.featuredImageUrl,
    featured_image_alt: blog.featuredImageAlt,
    content_html: blog.contentHtml,
    word_count: blog.wordCount,
    reading_time_minutes: blog.readingTimeMinutes,
    state: PUBLISHING_STATES.indexOf(blog.status),
    live_since: localTime(database, blog.publishedAt),
    sections: database.raw('array(select no from publishing.sections where code = any(?))', [
      blog.categories.map(({ id }) => id),
    ]),
  }),
};

export const CODED_PUBLISHING_TABLES: DashboardTables = {
  putOwners: async (database, organizationId, websiteId) => {
    await upsert(database, 'publishing.houses', { code: organizationId, label: '' });
    if (websiteId === null) return;
    const house = numberOf(database, 'houses', organizationId);
    await upsert(database, 'publishing.sites', { code: websiteId, house, label: '' });
  },

  putRow: async (database, kind, row) => {
    await upsert(database, TABLE_OF[kind], ROW[kind](database, row));
    if (!('tags' in row)) return;
    const article = numberOf(database, 'articles', row.id);
    await database('publishing.articles_labels').where({ article }).delete();
    for (const { id } of row.tags) {
      await database('publishing.articles_labels').insert({
        article,
        term: numberOf(database, 'labels', id),
      });
    }
  },

  remove: async (database, kind, id) => {
    await database(TABLE_OF[kind]).where({ code: id }).delete();
  },
};

async function upsert(database: Knex, table: string, record: Record<string, unknown>): Promise<void> {
  await database(table).insert(record).onConflict('code').merge();
}
