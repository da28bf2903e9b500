import { expect } from 'chai';
import type { Context } from 'mocha';
import { SettledSync } from './settled-sync.js';
import type { SyncedDatabases } from './synced-databases.js';

const TABLES = ['categories', 'tags', 'blogs', 'blog_categories', 'blog_tags'];
const OF_SHOWN = (row: string) =>
  `websites as website on website.id = ${row}.website_id and coalesce(website.domain, '') <> 'off'`;
/** In place of the tables: what each shows depends on rows of the others. */
const VIEWS = {
  categories: `select category.* from stored_categories as category join ${OF_SHOWN('category')} where description <> 'hidden'`,
  tags: `select tag.* from stored_tags as tag join ${OF_SHOWN('tag')} where color <> '#000000'`,
  blogs: `select blog.* from stored_blogs as blog join ${OF_SHOWN('blog')}`,
  blog_categories:
    'select link.* from stored_blog_categories as link join categories as category on category.id = link.category_id',
  blog_tags: 'select link.* from stored_blog_tags as link join tags as tag on tag.id = link.tag_id',
};

/** What the sync promises on each engine about rows that leave a select through another row. */
export function leavingRowsCases(
  open: (context: Context) => Promise<SyncedDatabases>,
  rename: (table: string) => string,
): void {
  let databases: SyncedDatabases;
  let sync: SettledSync;

  before(async function () {
    databases = await open(this);
    const { dashboard } = databases;
    for (const table of TABLES) await dashboard.raw(rename(table));
    for (const [view, select] of Object.entries(VIEWS))
      await dashboard.raw(`create view ${view} as ${select}`);
    await dashboard('organizations').insert({ id: 'org', name: 'O' });
    for (const id of ['web', 'other'])
      await dashboard('websites').insert({ id, organization_id: 'org', name: id });
    const ofWebsite = (id: string, website_id = 'web') => ({ id, website_id, name: id, slug: id });
    await dashboard('stored_categories').insert([
      ofWebsite('cat'),
      { ...ofWebsite('child', 'other'), parent_id: 'cat' },
    ]);
    await dashboard('stored_tags').insert(ofWebsite('tag'));
    for (const [id, website_id] of Object.entries({ here: 'web', there: 'other' })) {
      const times = { status: 'published', published_at: '2024-01-01 00:00:00' };
      await dashboard('stored_blogs').insert({
        ...{ id, website_id, title: id, slug: id, content_html: '' },
        ...times,
      });
      await dashboard('stored_blog_categories').insert({ blog_id: id, category_id: 'cat' });
      await dashboard('stored_blog_tags').insert({ blog_id: id, tag_id: 'tag' });
    }
    sync = await SettledSync.open(databases);
  });
  after(async () => {
    await sync?.close();
    await databases?.close();
  });

  const read = () => databases.readTables.withSchema('content_read');
  const shown = async () => {
    await sync.settle();
    const terms = (of: string) => `jsonb_path_query_array(${of}, '$[*].id')`;
    const { rows }: { rows: { id: string; terms: string[] }[] } = await databases.readTables.raw(
      `select id, ${terms('categories')} || ${terms('tags')} as terms from content_read.blogs order by id`,
    );
    const lists = read().from('list_entries').whereNot({ term: '' }).distinct().orderBy('term').pluck('term');
    const owned = ['categories', 'tags'].map((table) => read().from(table).orderBy('id').pluck('id'));
    return [rows.map((row) => [row.id, ...row.terms].join(' ')), await lists, ...(await Promise.all(owned))];
  };
  const ALL = [['here cat tag', 'there cat tag'], ['category=cat', 'tag=tag'], ['cat', 'child'], ['tag']];
  const edit = (table: string, id: string, changes: object) =>
    databases.dashboard(table).where({ id }).update(changes);

  beforeEach(async () => {
    await edit('websites', 'web', { domain: null });
    await edit('stored_categories', 'cat', { description: '' });
    await edit('stored_tags', 'tag', { color: '#888888' });
    expect(await shown()).to.eql(ALL);
  });

  it('takes a hidden category from its blogs and from the filter by it', async () => {
    await edit('stored_categories', 'cat', { description: 'hidden' });
    expect(await shown()).to.eql([['here tag', 'there tag'], ['tag=tag'], ['child'], ['tag']]);
    expect(await read().from('categories').pluck('parent_id')).to.eql([null]);
  });

  it('takes a hidden tag from its blogs and from the filter by it', async () => {
    await edit('stored_tags', 'tag', { color: '#000000' });
    expect(await shown()).to.eql([['here cat', 'there cat'], ['category=cat'], ['cat', 'child'], []]);
  });

  it('takes out the blogs of a website that is switched off, and its categories and tags everywhere', async () => {
    await edit('websites', 'web', { domain: 'off' });
    expect(await shown()).to.eql([['there'], [], ['child'], []]);
  });
}
