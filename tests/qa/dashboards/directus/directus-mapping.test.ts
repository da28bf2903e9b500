import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runSql } from '../../../support/postgres/run-sql.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { installedPackages } from '../installed-packages.js';
import { expectHidden, expectShown, ServiceOnDashboard } from '../service-on-dashboard.js';
import { APP, Directus } from './directus.js';
import type { DirectusAdmin, Entry, Fields, PostEntry } from './directus-admin.js';
import { expectAsInDirectus, shownCategory, tagsOf } from './expected-answers.js';

const INSTALL_MS = 20 * 60_000;
const GUIDE = new URL('../../../../docs/examples/dashboards/directus/README.md', import.meta.url);
const PICTURE = new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'], { type: 'image/svg+xml' });

describe('With the mapping for Directus 12 on PostgreSQL, the API', () => {
  let directus: Directus;
  let admin: DirectusAdmin;
  let service: ServiceOnDashboard;
  let website: Entry;
  let url: string;

  before(async function () {
    this.timeout(INSTALL_MS);
    await installedPackages(APP);
    url = await createTestDatabase();
    directus = await Directus.start(url);
    admin = directus.admin;
    website = await admin.create('websites', { name: 'Notes', organization: 'acme' });
    const mapping = fileURLToPath(new URL('mapping.yaml', GUIDE));
    const readDatabaseUrl = await createTestDatabase();
    const dashboard = { mapping, readDatabaseUrl, migrationUrl: url, workerUrl: url };
    service = new ServiceOnDashboard(dashboard, website.id);
    await service.run('migrate');
    await service.useKeyOf('acme');
    await service.start();
  });

  after(async () => {
    await service?.stop('Directus');
    await directus?.stop();
  });

  let posts = 0;
  const create = (fields: Fields = {}) =>
    admin.create('posts', {
      title: 'First',
      slug: `post-${++posts}`,
      status: 'published',
      website: website.id,
      ...fields,
    });
  const createCategory = (name: string, fields: Fields = {}) =>
    admin.create('categories', { name, slug: name.toLowerCase(), website: website.id, ...fields });

  /**
   * Makes the edit, after which the API has to show these fields of the post, or null if it shows nothing. Waits until
   * the API agrees with Directus in every field of the post, the categories and the tags.
   */
  async function edited(post: Entry, edit: () => Promise<unknown>, expected: Fields | null): Promise<void> {
    const slugBefore = (await admin.posts()).find(({ id }) => id === post.id)?.slug ?? 'none';
    await edit();
    const [all, categories] = [await admin.posts(), await admin.categories()];
    const entry = all.find(({ id }) => id === post.id);
    const isHere = (each: { readonly website: string | null }) => each.website === website.id;
    const tags = tagsOf(all.filter((each) => isHere(each) && each.status === 'published'));
    await service.shows(
      async () => ({ id: post.id, slug: entry?.slug ?? slugBefore }),
      (answers) => {
        expect(answers.categories).to.have.deep.members(categories.filter(isHere).map(shownCategory));
        expect(answers.tags).to.have.deep.members(
          tags.map((tag) => ({ ...tag, websiteId: website.id, color: '#888888' })),
        );
        if (entry?.status !== 'published' || !isHere(entry)) expectHidden(answers);
        else expectAsInDirectus(answers, entry, tags);
        if (expected === null) expect(answers.blog).to.equal(null);
        else expect(answers.blog).to.deep.include(expected);
      },
    );
  }

  it('shows a published post as Directus has it after each edit', async () => {
    const post = await create({ status: 'draft', slug: null, title: null });
    const edits: readonly (readonly [Fields, Fields | null])[] = [
      [{ title: 'First', slug: 'first' }, null],
      [
        { status: 'published', published_on: '2024-02-03T04:05:06.789Z' },
        { publishedAt: '2024-02-03T04:05:06.789Z' },
      ],
      [
        { title: 'R&D', slug: 'edited', summary: 'Short' },
        { title: 'R&D', slug: 'edited', excerpt: 'Short' },
      ],
      [{ body: '<p>One <b>two</b></p>\n<p>three</p>' }, { wordCount: 3, readingTimeMinutes: 1 }],
      [
        { meta_title: 'Found', meta_description: 'By many' },
        { metaTitle: 'Found', metaDescription: 'By many' },
      ],
      [{ published_on: null }, { title: 'R&D' }],
      [{ status: 'archived' }, null],
      [{ status: 'published' }, { title: 'R&D' }],
      [{ website: null }, null],
      [{ website: website.id }, { title: 'R&D' }],
    ];
    for (const [fields, expected] of edits) {
      await edited(post, () => admin.edit('posts', post, fields), expected);
    }
    const other = await create();
    await edited(other, () => admin.delete('posts', post, other), null);
    await edited(post, async () => undefined, null);
  });

  it('shows the values of a JSON array as tags, with any value in other posts', async () => {
    const [post, other] = [await create(), await create()];
    const setTags = (of: Entry, tags: unknown) => () => admin.edit('posts', of, { tags });
    const tag = (name: string, slug: string) => ({ id: `${website.id}/${slug}`, name, slug });
    const both = [tag('New York', 'new-york'), tag('R&D', 'r-d')];
    await edited(post, setTags(post, ['R&D', 'New York', 'new york', '!']), { tags: both });
    for (const odd of [null, '"text"', 7, { a: 1 }, [null, '', ['a']], ['a\0b'], []]) {
      await edited(other, setTags(other, odd), { title: 'First' });
    }
    await edited(other, setTags(other, ['R&D', 'Other']), {
      tags: [tag('Other', 'other'), tag('R&D', 'r-d')],
    });
    await edited(post, setTags(post, ['New York']), { tags: [tag('New York', 'new-york')] });
    await edited(other, () => admin.edit('posts', other, { status: 'draft' }), null);
    await edited(post, setTags(post, null), { tags: [] });
  });

  it('shows the categories of a post, which a junction collection links, and their parents', async () => {
    const [above, below] = [await createCategory('Above'), await createCategory('Below', { sort: 2 })];
    const post = await create({ categories: [{ categories_id: below.id }] });
    const link = ({ id }: Entry, name: string) => ({ id, name, slug: name.toLowerCase() });
    const editBelow = (fields: Fields) => () => admin.edit('categories', below, fields);
    const setCategories =
      (...all: readonly Entry[]) =>
      () =>
        admin.edit('posts', post, { categories: all.map(({ id }) => ({ categories_id: id })) });
    const shown = { categories: [link(below, 'Below')] };
    await edited(post, editBelow({ parent: above.id, description: 'Under it' }), shown);
    await edited(post, setCategories(above, below), {
      categories: [link(above, 'Above'), link(below, 'Below')],
    });
    await edited(post, () => admin.delete('categories', above), shown);
    await edited(post, editBelow({ name: 'New', slug: 'new' }), { categories: [link(below, 'New')] });
    await edited(post, setCategories(), { categories: [] });
    const rows = await runSql(
      url,
      'select from posts_categories where posts_id is null or categories_id is null',
    );
    expect(rows).not.to.eql([]);
  });

  it('shows no category of another organization in a post', async () => {
    const others = await admin.create('websites', { name: 'Others', organization: 'globex' });
    const [own, foreign] = [
      await createCategory('Own'),
      await createCategory('Foreign', { website: others.id }),
    ];
    const post = await create({ categories: [own, foreign].map(({ id }) => ({ categories_id: id })) });
    const { categories } = (await admin.posts()).find(({ id }) => id === post.id) as PostEntry;
    expect(categories).to.have.length(2);
    await service.shows(
      async () => ({ id: post.id, slug: `post-${posts}` }),
      (answers) => expectShown(answers, { categories: [{ id: own.id, name: 'Own', slug: 'own' }] }),
    );
  });

  it('shows a cover as the file library describes it', async () => {
    const cover = await admin.upload(PICTURE, 'cover.svg');
    const post = await create();
    const featuredImageUrl = `https://cms.example.com/assets/${cover.id}`;
    await edited(post, () => admin.edit('posts', post, { cover: cover.id }), { featuredImageUrl });
    for (const description of ['A door', 'An open door', 'A wall']) {
      const described = { featuredImageUrl, featuredImageAlt: description };
      await edited(post, () => admin.editFile(cover, { description }), described);
    }
    await edited(post, () => admin.deleteFile(cover), { featuredImageUrl: null, featuredImageAlt: null });
  });

  it('shows no post whose website is deleted', async () => {
    const other = await admin.create('websites', { name: 'Other', organization: 'acme' });
    const post = await create({ website: other.id });
    await service.shows(
      async () => ({ id: post.id, slug: `post-${posts}` }),
      ({ blog }) => expect(blog).to.include({ websiteId: other.id }),
    );
    await edited(post, () => admin.delete('websites', other), null);
  });

  it('accepts the indexes of the guide', async () => {
    const statements = [...(await readFile(GUIDE, 'utf8')).matchAll(/^create index .*;$/gm)];
    expect(statements).to.have.length.above(1);
    for (const [statement] of statements) await runSql(url, statement);
  });
});
