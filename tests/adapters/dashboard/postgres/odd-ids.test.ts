import { migrate } from '../../../../src/programs/migrate/migrate.js';
import { oddIdCases } from '../../../support/dashboards/odd-id-cases.js';
import { SyncedDatabases } from '../../../support/sync/synced-databases.js';

const IDS = {
  websites: ['id'],
  categories: ['id', 'website_id', 'parent_id'],
  tags: ['id', 'website_id'],
  blogs: ['id', 'website_id'],
  blog_categories: ['blog_id', 'category_id'],
  blog_tags: ['blog_id', 'tag_id'],
};

const COLUMNS = Object.entries(IDS).map(
  ([table, columns]) =>
    `alter table ${table} ${columns.map((column) => `alter ${column} type text collate ignoring_case`).join(', ')};`,
);

describe('On PostgreSQL, with a nondeterministic collation of ids, the sync', () => {
  oddIdCases(async () => {
    const databases = await SyncedDatabases.create();
    await databases.dashboard.raw(`
      create collation ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      do $$ declare key record; begin
        for key in select conrelid::regclass as of_table, conname from pg_constraint where contype = 'f' loop
          execute format('alter table %s drop constraint %I', key.of_table, key.conname);
        end loop;
      end $$;
      ${COLUMNS.join('\n')}`);
    await migrate(databases, () => {});
    return databases;
  });
});
