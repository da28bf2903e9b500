import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { type Answers, expectHidden, expectShown, ServiceOnDashboard } from '../service-on-dashboard.js';
import { Django, djangoForTests, type Saved } from './django.js';

const MAPPING = fileURLToPath(
  new URL('../../../../docs/examples/dashboards/django/mapping.yaml', import.meta.url),
);
const POST = 'news.Post';
const CATEGORY = 'news.Category';

describe('With the mapping for Django on PostgreSQL, the API', () => {
  let django: Django;
  let service: ServiceOnDashboard;
  let site: Saved;

  before(async function () {
    const installed = await djangoForTests(this);
    const url = await createTestDatabase();
    django = await Django.start(installed, url);
    site = await django.find('sites.Site', { domain: 'example.com' });
    const readDatabaseUrl = await createTestDatabase();
    const dashboard = { mapping: MAPPING, readDatabaseUrl, migrationUrl: url, workerUrl: url };
    service = new ServiceOnDashboard(dashboard, `${site.id}-en`);
    expect(await service.run('migrate')).not.to.contain('Mapping:');
    await service.useKeyOf('acme');
    await service.start();
  });

  after(async () => {
    await service?.stop();
    await django?.stop();
  });

  let posts = 0;
  const createPost = async (fields: object = {}) => {
    const slug = `post-${++posts}`;
    const saved = await django.save(POST, {
      site_id: site.id,
      status: 'published',
      publish_at: '2026-01-02T03:04:05Z',
      translations: {
        en: { title: 'First', slug, body: '<p>Text</p>' },
        fr: { title: 'Premier', slug: `${slug}-fr` },
      },
      ...fields,
    });
    const { en, fr } = saved.translations;
    return { saved, id: String(en), slug, french: { id: String(fr), slug: `${slug}-fr` } };
  };
  type Post = Awaited<ReturnType<typeof createPost>>;
  const shows = (post: Post, edit: () => Promise<unknown>, check: (answers: Answers) => void) =>
    service.shows(() => edit().then(() => post), check);
  const createShown = async (fields: object, shown: Readonly<Record<string, unknown>>) => {
    const post = await createPost(fields);
    return shows(
      post,
      async () => {},
      (answers) => expectShown(answers, shown),
    );
  };
  const tagsOf = async (language: string) => {
    const { data } = (await service.get(`tags?website_id=${site.id}-${language}`)).json();
    return (data as readonly { name: string }[]).map(({ name }) => name);
  };

  it('shows each translation of a post as a blog of its language, and each edit', async () => {
    const fields = { title: 'First', contentHtml: '<p>Text</p>', publishedAt: '2026-01-02T03:04:05.000Z' };
    const websiteId = `${site.id}-en`;
    const post = await createShown(
      { image: 'door.jpg' },
      {
        ...fields,
        websiteId,
        excerpt: null,
        featuredImageUrl: 'https://example.com/media/door.jpg',
      },
    );
    expect((await service.answers(post.french)).blog).to.include({
      title: 'Premier',
      websiteId: `${site.id}-fr`,
    });
    await shows(
      post,
      () => django.save(POST, { id: post.saved.id, translations: { en: { title: 'Second' } } }),
      (answers) => expectShown(answers, { title: 'Second' }),
    );
    await shows(post, () => django.save(POST, { id: post.saved.id, status: 'draft' }), expectHidden);
    expect((await service.answers(post.french)).blog).to.equal(null);
    await shows(
      post,
      () => django.save(POST, { id: post.saved.id, status: 'published' }),
      (answers) => expectShown(answers, { title: 'Second' }),
    );
    await shows(post, () => django.untranslate(POST, post.saved, 'en'), expectHidden);
    expect((await service.answers(post.french)).blog).to.include({ title: 'Premier' });
    await django.delete(POST, post.saved);
  });

  it('shows the tree of categories in each language, and their renames in posts', async () => {
    const category = async (slug: string, fields: object) =>
      django.save(CATEGORY, {
        site_id: site.id,
        translations: { en: { name: slug, slug }, fr: { name: slug, slug: `${slug}-fr` } },
        ...fields,
      });
    const above = await category('above', {});
    const below = await category('below', { parent_id: above.id, position: 3 });
    const id = String(below.translations.en);
    const post = await createShown(
      { categories: [below.id] },
      { categories: [{ id, name: 'below', slug: 'below' }] },
    );
    const { categories } = await service.answers(post);
    expect(categories.find((one) => one.id === id)).to.include({
      parentId: String(above.translations.en),
      sortOrder: 3,
    });
    await shows(
      post,
      () => django.save(CATEGORY, { id: below.id, translations: { en: { name: 'Under' } } }),
      (answers) => expectShown(answers, { categories: [{ id, name: 'Under', slug: 'below' }] }),
    );
    await shows(
      post,
      () => django.untranslate(CATEGORY, below, 'en'),
      (answers) => expectShown(answers, { categories: [] }),
    );
    await django.delete(POST, post.saved);
  });

  it('shows a tag on the websites that have a published post with it, and nowhere else', async () => {
    const shown = (english: readonly string[], french: readonly string[]) =>
      eventually(async () => expect([await tagsOf('en'), await tagsOf('fr')]).to.eql([english, french]));
    const draft = await createPost({ tags: ['Secret'], status: 'draft' });
    const post = await createPost({ tags: ['Red'] });
    await shown(['Red'], ['Red']);
    const tag = await django.find('taggit.Tag', { name: 'Red' });
    const id = `${site.id}-en-${tag.id}`;
    await shows(
      post,
      () => django.save('taggit.Tag', { id: tag.id, name: 'Rouge' }),
      (answers) => expectShown(answers, { tags: [{ id, name: 'Rouge', slug: 'red' }] }),
    );
    await django.untranslate(POST, post.saved, 'fr');
    await shown(['Rouge'], []);
    const other = await createPost({ tags: ['Blue'] });
    await shown(['Blue', 'Rouge'], ['Blue']);
    await django.save(POST, { id: other.saved.id, tags: [] });
    await shown(['Rouge'], []);
    await django.save(POST, { id: draft.saved.id, status: 'published' });
    await shown(['Rouge', 'Secret'], ['Secret']);
    await django.delete(POST, post.saved);
    await shown(['Secret'], ['Secret']);
    await django.save(POST, { id: draft.saved.id, status: 'draft' });
    await shown([], []);
  });

  it('has seen all of these changes without reconciling', () => {
    expect(service.log).not.to.contain('were repaired');
  });

  it('needs no change at the next `migrate`', async () => {
    expect(await service.run('migrate')).to.match(/Change capture: up to date\.\n$/);
  });
});
