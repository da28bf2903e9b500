import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { migrateDatabase } from '../../../src/adapters/postgres/migrate-database.js';
import { roleRights } from '../../../src/adapters/postgres/role-rights.js';
import { unusableIndexes } from '../../../src/adapters/postgres/unusable-indexes.js';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { refusedTo } from '../../support/postgres/granted-roles.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { TestRole } from '../../support/postgres/test-role.js';

const RENAMING = '0031_names_of_the_glossary.sql';
const NAMES = {
  blog_shelves: 'blog_list_counts',
  shelf_counting: 'recount_progress',
  counted_shelves: 'recounted_lists',
  rows_set_aside: 'quarantined_rows',
  sync_work: 'sync_jobs',
};
const FORMER = Object.keys(NAMES);

describe('The former names of read tables, after an upgrade,', () => {
  let url: string;
  let owner: Knex;
  let api: TestRole;
  let worker: TestRole;
  let asApi: Knex;
  let asWorker: Knex;

  before(async () => {
    url = await createTestDatabase();
    owner = knex({ client: 'pg', connection: url });
    [api, worker] = [await TestRole.create(owner), await TestRole.create(owner)];
    await migrateUpTo(RENAMING);
    await owner.raw(`
      grant usage on schema content_read to ${api.name}, ${worker.name};
      grant select on content_read.blog_shelves to ${api.name};
      grant select, insert, update, delete on all tables in schema content_read to ${worker.name};
      insert into content_read.rows_set_aside (kind, id, reason) values ('tags', 'old', 'is kept')`);
    expect(await migrateDatabase(url, READ_MIGRATIONS)).to.include(RENAMING);
    asApi = knex({ client: 'pg', connection: api.urlOf(url) });
    asWorker = knex({ client: 'pg', connection: worker.urlOf(url) });
  });

  after(async () => {
    await asApi?.destroy();
    await asWorker?.destroy();
    await api?.drop();
    await worker?.drop();
    await owner?.destroy();
  });

  async function migrateUpTo(next: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    const directory = fileURLToPath(READ_MIGRATIONS.directory);
    try {
      for (const file of (await readdir(directory)).filter((name) => name < next)) {
        await cp(join(directory, file), join(folder, file));
      }
      await migrateDatabase(url, { ...READ_MIGRATIONS, directory: pathToFileURL(`${folder}/`) });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('are views with the columns, the owner and the rights of the tables', async () => {
    const { rows }: { rows: { name: string }[] } = await owner.raw(
      `select relname as name, relkind as kind, relowner as owner, relacl::text[] as rights,
        array(select attname || ' ' || format_type(atttypid, atttypmod) from pg_attribute
          where attrelid = pg_class.oid and attnum > 0 order by attnum) as columns
       from pg_class where relnamespace = 'content_read'::regnamespace and relname = any(?)`,
      [Object.entries(NAMES).flat()],
    );
    const found = (name: string) => rows.find((row) => row.name === name);
    for (const [former, name] of Object.entries(NAMES)) {
      expect(found(former)).to.deep.equal({ ...found(name), name: former, kind: 'v' });
    }
  });

  it('take what the worker of the release before writes to its jobs', async () => {
    const jobs = async () =>
      (await owner.raw(`select scope, keys, attempts from content_read.sync_jobs where scope = 'tags'`)).rows;
    const add = async (key: string) => {
      const { rows } = await asWorker.raw(
        `insert into content_read.sync_work (scope, kind, keys) select 'tags', null, array[?] returning id`,
        [key],
      );
      return rows[0].id;
    };
    const finish = (id: string) =>
      asWorker.raw(
        `with finished as (
          update content_read.sync_work set finished_at = clock_timestamp() where id = :id returning scope
        )
        delete from content_read.sync_work as old using finished
        where old.scope = finished.scope and old.id < :id and old.finished_at is not null`,
        { id },
      );
    const [first, second] = [await add('a'), await add('b')];
    await asWorker.raw(
      `update content_read.sync_work set attempts = attempts + 1, progress = '{}'::jsonb where id = ?`,
      [second],
    );
    expect(await jobs()).to.deep.equal([
      { scope: 'tags', keys: ['a'], attempts: 0 },
      { scope: 'tags', keys: ['b'], attempts: 1 },
    ]);
    await finish(first);
    await finish(second);
    expect(await jobs()).to.deep.equal([{ scope: 'tags', keys: ['b'], attempts: 1 }]);
  });

  it('take the rows that it quarantines, once each', async () => {
    const quarantine = (reason: string) =>
      asWorker.raw(
        `insert into content_read.rows_set_aside as present (kind, id, reason) values ('tags', 'new', ?)
         on conflict (kind, md5(id)) do update set reason = excluded.reason, tried_at = excluded.tried_at`,
        [reason],
      );
    const rows = () => owner('content_read.quarantined_rows').select('id', 'reason').orderBy('id');
    await quarantine('is wrong');
    await quarantine('is still wrong');
    expect(await rows()).to.deep.equal([
      { id: 'new', reason: 'is still wrong' },
      { id: 'old', reason: 'is kept' },
    ]);
    await asWorker.raw(
      `delete from content_read.rows_set_aside as present where present.id = any(array['old', 'new'])`,
    );
    expect(await rows()).to.deep.equal([]);
  });

  it('show the API the counts of what it writes to the blogs', async () => {
    await asWorker.raw(`
      insert into content_read.blogs
        (organization_id, id, website_id, title, folded_title, slug, content_html, word_count, reading_time_minutes, published_at,
         categories, tags, category_slugs, tag_slugs)
      select 'org', n::text, 'web', '', '', '', '', 0, 0, '2026-01-01Z', '[]', '[]', '{}', '{}' from generate_series(1, 3) as n`);
    const counts = await asApi('content_read.blog_shelves')
      .where({ organization_id: 'org' })
      .orderBy('website')
      .select('website', 'term', 'blogs');
    expect(counts).to.deep.equal([
      { website: '', term: '', blogs: '3' },
      { website: '=web', term: '', blogs: '3' },
    ]);
  });

  it('take its counts of a recount', async () => {
    await asWorker.raw(`
      insert into content_read.shelf_counting (organization_id) values ('org') on conflict do nothing;
      insert into content_read.counted_shelves as present (organization_id, website, term, blogs) values ('org', '', 'tag=a', 1), ('org', '', 'tag=b', 1)
        on conflict (organization_id, website, term) do update set blogs = present.blogs + excluded.blogs`);
    expect(await owner('content_read.recounted_lists').pluck('term')).to.have.members(['tag=a', 'tag=b']);
    const { rows } = await asWorker.raw(`select wrong::int, is_over from content_read.recount('org', 100)`);
    expect(rows).to.deep.equal([{ wrong: 2, is_over: true }]);
    expect(await owner('content_read.recounted_lists')).to.deep.equal([]);
  });

  it('give no role a right that it does not have on the tables', async () => {
    const ofTheApi = FORMER.flatMap((name) => [
      `insert into content_read.${name} default values`,
      `delete from content_read.${name}`,
      ...(name === 'blog_shelves' ? [] : [`select from content_read.${name}`]),
    ]);
    expect(await refusedTo(api, url, ofTheApi)).to.deep.equal(ofTheApi);
    const ofTheWorker = FORMER.map((name) => `drop view content_read.${name}`);
    expect(await refusedTo(worker, url, ofTheWorker)).to.deep.equal(ofTheWorker);
  });

  it('are no tables to the doctor, which finds the indexes under their new names', async () => {
    const { tables } = await roleRights(asWorker, ['content_read']);
    const listed = (names: readonly string[]) => names.filter((name) => `content_read.${name}` in tables);
    expect(listed(FORMER)).to.deep.equal([]);
    expect(listed(Object.values(NAMES))).to.have.length(FORMER.length);
    expect(await unusableIndexes(owner, READ_MIGRATIONS)).to.deep.equal({ missing: [], invalid: [] });
  });

  it('begin no name of an index, a constraint or a sequence', async () => {
    const { rows } = await owner.raw(
      `select name from (
         select relname::text as name from pg_class where relnamespace = 'content_read'::regnamespace and relkind <> 'v'
         union all select conname from pg_constraint where connamespace = 'content_read'::regnamespace
       ) as named where name ~ :former`,
      { former: `^(${FORMER.join('|')})` },
    );
    expect(rows).to.deep.equal([]);
  });
});
