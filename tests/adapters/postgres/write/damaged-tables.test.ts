import { expect } from 'chai';
import { SteppedWorker } from '../../../qa/support/sync/stepped-worker.js';
import { SyncedDatabases } from '../../../support/sync/synced-databases.js';

const CONTENT = `
  insert into organizations (id, name) values ('org_a', 'A'), ('org_b', 'B');
  insert into websites (id, organization_id, name) values ('web_a', 'org_a', 'A'), ('web_b', 'org_b', 'B'), ('web_c', 'org_a', 'C');
  insert into api_keys (id, organization_id, key_hash, expires_at) values ('key', 'org_a', 'hash', '2030-01-01');
  insert into categories (id, website_id, name, slug, sort_order) values ('parent', 'web_a', 'P', 'parent', 1), ('category', 'web_a', 'C', 'category', 2);
  insert into tags (id, website_id, name, slug) values ('tag', 'web_a', 'T', 'tag');
  insert into blogs (id, website_id, title, slug, excerpt, meta_title, meta_description, featured_image_url, featured_image_alt,
    content_html, status, published_at)
  select 'blog_' || n, case n % 4 when 0 then 'web_b' else 'web_a' end, 'Title ' || n, 'slug-' || n, 'e', 'm', 'd', 'https://example.com', 'a',
    '<p>c</p>', 'published', timestamptz '2026-01-01' + n * interval '1 hour'
  from generate_series(1, 8) as n;
  insert into blog_categories select id, 'category' from blogs where website_id = 'web_a';
  insert into blog_tags select id, 'tag' from blogs where website_id = 'web_a';`;

const TABLES = ['api_keys', 'categories', 'tags', 'blogs', 'titles', 'list_entries', 'list_totals'];
/** Tables of which rows can exist beside those of the same id. */
const KEYS: Readonly<Record<string, string>> = { list_totals: '{"term": "tag=of nothing"}' };

/** Another value of each type. */
const OTHER: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column} || ' altered', 'altered')`,
  integer: (column) => `${column} + 1`,
  bigint: (column) => `${column} + 1`,
  jsonb: () => `'[]'`,
  'text[]': (column) => `${column} || 'category=altered'::text`,
  'timestamp with time zone': (column) => `coalesce(${column} + interval '1 minute', now())`,
};

describe('A row of the read tables that is damaged', () => {
  let databases: SyncedDatabases;
  let worker: SteppedWorker;
  let repairs = 0;

  before(async () => {
    databases = await SyncedDatabases.create();
    await databases.dashboard.raw(CONTENT);
    worker = new SteppedWorker(databases);
    await worker.finish();
    expect(await databases.present()).to.deep.equal(await databases.expected());
    repairs = await databases.repairs();
    expect(repairs).to.equal(0);
  });

  after(async () => {
    await worker?.end();
    await databases?.close();
  });

  /** Reconciles once, or twice if a row seemed to move to another organization. */
  async function expectRepaired(damage: string): Promise<void> {
    await databases.readTables.raw(damage);
    const expected = JSON.stringify(await databases.expected());
    const isDamaged = async () => JSON.stringify(await databases.present()) !== expected;
    expect(await isDamaged(), damage).to.equal(true);
    await worker.finish();
    if (await isDamaged()) await worker.finish();
    expect(await databases.present(), damage).to.deep.equal(JSON.parse(expected));
    const before = repairs;
    repairs = await databases.repairs();
    expect(repairs, damage).to.be.above(before);
  }

  for (const table of TABLES) {
    const any = `ctid = (select ctid from content_read.${table} order by ctid limit 1)`;

    it(`of ${table} is written again if it is missing, and counted`, async () => {
      await expectRepaired(`delete from content_read.${table} where ${any}`);
    });

    it(`of ${table} is deleted if there is no such row in the dashboard, and counted`, async () => {
      await expectRepaired(
        `insert into content_read.${table}
         select (jsonb_populate_record(stored, '${KEYS[table] ?? '{"id": "of nothing"}'}')).* from content_read.${table} as stored limit 1`,
      );
    });

    it(`of ${table} is corrected in each column, and counted`, async () => {
      const { rows }: { rows: { name: string; type: string }[] } = await databases.readTables.raw(
        `select attname as name, format_type(atttypid, null) as type from pg_attribute
         where attrelid = 'content_read.${table}'::regclass and attnum > 0`,
      );
      for (const { name, type } of rows) {
        await expectRepaired(
          `update content_read.${table} set ${name} = ${OTHER[type]?.(name)} where ${any}`,
        );
      }
    });
  }

  it('of list_entries is deleted if the blog is not in that list', async () => {
    await expectRepaired(
      `insert into content_read.list_entries (organization_id, term, website_id, published_at, id)
       select organization_id, 'tag=other', website_id, published_at, id from content_read.list_entries limit 1`,
    );
  });

  it('is repaired if the tables contradict each other in many rows', async () => {
    await expectRepaired('delete from content_read.blogs');
    await expectRepaired('delete from content_read.titles; delete from content_read.list_totals');
    await expectRepaired('delete from content_read.list_entries; delete from content_read.blogs');
  });
});
