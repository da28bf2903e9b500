import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { type Answers, expectHidden, expectShown, ServiceOnDashboard } from '../service-on-dashboard.js';
import { type Document, Payload } from './payload.js';

const MAPPING = fileURLToPath(
  new URL('../../../../docs/examples/dashboards/payload/mapping.yaml', import.meta.url),
);
const now = () => new Date().toISOString();

describe('With the mapping for Payload 3 on PostgreSQL, the API', () => {
  let payload: Payload;
  let service: ServiceOnDashboard;
  let website: Document;
  let explained: string;

  before(async () => {
    const url = await createTestDatabase();
    payload = await Payload.start(url);
    website = await payload.create('websites', { name: 'Notes', organization: 'acme' });
    const bare = { title: 'Bare', slug: 'bare', website: website.id, _status: 'published' };
    await payload.create('posts', bare);
    await payload.create('posts', { ...bare, slug: 'trashed', deletedAt: now() });
    const readDatabaseUrl = await createTestDatabase();
    const dashboard = { mapping: MAPPING, readDatabaseUrl, migrationUrl: url, workerUrl: url };
    service = new ServiceOnDashboard(dashboard, String(website.id));
    explained = await service.run('migrate', '--explain');
    await service.run('migrate');
    await service.useKeyOf('acme');
    await service.start();
  });

  after(async () => {
    await service?.stop();
    await payload?.stop();
  });

  let posts = 0;
  const createPost = async (fields: object = {}, options: object = {}) => {
    const slug = `post-${++posts}`;
    const data = { title: 'First', slug, website: website.id, contentHtml: '<p>Text</p>', ...fields };
    const document = await payload.create('posts', { _status: 'published', ...data }, options);
    return { document, id: String(document.id), slug };
  };
  type Post = Awaited<ReturnType<typeof createPost>>;
  const shows = (post: Post, edit: () => Promise<unknown>, check: (answers: Answers) => void) =>
    service.shows(() => edit().then(() => post), check);
  const createShown = async (fields: object, shown: object) => {
    const post = await createPost(fields);
    return shows(
      post,
      async () => {},
      (answers) => expectShown(answers, shown as Record<string, unknown>),
    );
  };

  it('is explained with the number of published posts that have no HTML, and shows none from the trash', async () => {
    expect(explained).to.contain('content_html is null in 1 of 1 published rows');
    const { data } = (await service.get('blogs?limit=100')).json();
    expect(data.map(({ slug }: { slug: string }) => slug))
      .to.include('bare')
      .and.not.to.include('trashed');
  });

  it('shows a published post with its fields, and each edit', async () => {
    const post = await createShown(
      {
        excerpt: 'Short',
        meta: { title: 'Found', description: 'By many' },
        publishedAt: '2026-01-02T03:04:05.000Z',
      },
      {
        title: 'First',
        excerpt: 'Short',
        contentHtml: '<p>Text</p>',
        metaTitle: 'Found',
        metaDescription: 'By many',
        publishedAt: '2026-01-02T03:04:05.000Z',
        websiteId: String(website.id),
        categories: [],
        tags: [],
      },
    );
    await shows(
      post,
      () => payload.update('posts', post.document, { title: 'Second' }),
      (answers) => expectShown(answers, { title: 'Second' }),
    );
    await shows(post, () => payload.delete('posts', post.document), expectHidden);
  });

  it('shows the published version until a draft of it is published', async () => {
    const post = await createShown({}, { title: 'First' });
    await payload.update('posts', post.document, { title: 'Draft', _status: 'draft' }, { draft: true });
    await createShown({}, { title: 'First' });
    expectShown(await service.answers(post), { title: 'First' });
    await shows(
      post,
      () => payload.update('posts', post.document, { title: 'Draft', _status: 'published' }),
      (answers) => expectShown(answers, { title: 'Draft' }),
    );
    await shows(post, () => payload.update('posts', post.document, { _status: 'draft' }), expectHidden);
  });

  it('hides a post in the trash and one for members, and shows them again', async () => {
    const post = await createShown({}, { title: 'First' });
    await shows(post, () => payload.update('posts', post.document, { deletedAt: now() }), expectHidden);
    await shows(
      post,
      () => payload.update('posts', post.document, { deletedAt: null }, { trash: true }),
      (answers) => expectShown(answers, { title: 'First' }),
    );
    await shows(post, () => payload.update('posts', post.document, { isForMembers: true }), expectHidden);
  });

  it('shows categories with parents, tags and their renames in posts', async () => {
    const owned = { website: website.id };
    const above = await payload.create('categories', { name: 'Above', slug: 'above', ...owned });
    const below = { name: 'Below', slug: 'below', parent: above.id, sortOrder: 3, ...owned };
    const category = await payload.create('categories', below);
    const tag = await payload.create('tags', { name: 'Red', slug: 'red', color: 'red', ...owned });
    const post = await createShown(
      { categories: [category.id], tags: [tag.id] },
      {
        categories: [{ id: String(category.id), name: 'Below', slug: 'below' }],
        tags: [{ id: String(tag.id), name: 'Red', slug: 'red' }],
      },
    );
    const { categories, tags } = await service.answers(post);
    expect(categories.find(({ id }) => id === String(category.id))).to.include({
      parentId: String(above.id),
      sortOrder: 3,
    });
    expect(tags).to.deep.include({
      id: String(tag.id),
      name: 'Red',
      slug: 'red',
      color: '#888888',
      websiteId: String(website.id),
    });
    await shows(
      post,
      () => payload.update('tags', tag, { name: 'Rouge' }),
      (answers) => expectShown(answers, { tags: [{ id: String(tag.id), name: 'Rouge', slug: 'red' }] }),
    );
    await shows(
      post,
      () => payload.update('categories', category, { deletedAt: now() }),
      (answers) => expectShown(answers, { categories: [] }),
    );
  });

  it('shows a cover as its media document describes it', async () => {
    const cover = await payload.create('media', { alt: 'A door', address: 'https://example.com/door.jpg' });
    const post = await createShown(
      { cover: cover.id },
      { featuredImageUrl: 'https://example.com/door.jpg', featuredImageAlt: 'A door' },
    );
    await shows(
      post,
      () => payload.update('media', cover, { alt: 'An open door' }),
      (answers) => expectShown(answers, { featuredImageAlt: 'An open door' }),
    );
  });

  it('needs no change and causes only the warning of the first `migrate`', async () => {
    const printed = await service.run('migrate');
    expect(printed).to.match(
      /^Read tables: up to date\.\nMapping: blogs: content_html is null .*\nChange capture: up to date\.\n$/,
    );
  });
});
