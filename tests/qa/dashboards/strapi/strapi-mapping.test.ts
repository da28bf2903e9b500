import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { type Answers, expectHidden, expectShown, ServiceOnDashboard } from '../service-on-dashboard.js';
import { Strapi } from './strapi.js';
import { type Entry, type Fields, linkTo, PICTURE, type StrapiAdmin, unlink } from './strapi-admin.js';

const MAPPING = fileURLToPath(
  new URL('../../../../docs/examples/dashboards/strapi/mapping.yaml', import.meta.url),
);

describe('With the mapping for Strapi 5 on PostgreSQL, the API', () => {
  let strapi: Strapi;
  let admin: StrapiAdmin;
  let service: ServiceOnDashboard;
  let website: Entry;
  let url: string;

  before(async () => {
    url = await createTestDatabase();
    strapi = await Strapi.start(url);
    admin = strapi.admin;
    website = await admin.create('website', { name: 'Notes' });
    const readDatabaseUrl = await createTestDatabase();
    const dashboard = { mapping: MAPPING, readDatabaseUrl, migrationUrl: url, workerUrl: url };
    service = new ServiceOnDashboard(dashboard, website.documentId);
    await service.run('migrate');
    await service.useKeyOf('acme');
    await service.start();
  });

  after(async () => {
    await service?.stop();
    await strapi?.stop();
  });

  let articles = 0;
  const createArticle = async (fields: Fields = {}) => {
    const slug = `article-${++articles}`;
    const entry = await admin.create('article', {
      title: 'First',
      slug,
      website: linkTo(website),
      ...fields,
    });
    return { entry, id: entry.documentId, slug };
  };
  type Article = Awaited<ReturnType<typeof createArticle>>;

  /** Returns what the API shows of this article after the edit, as soon as the check accepts it. */
  const shows = (article: Article, edit: () => Promise<unknown>, check: (answers: Answers) => void) =>
    service.shows(() => edit().then(() => article), check);
  const publish = (article: Article, fields: Fields = {}) =>
    shows(
      article,
      () => admin.publish(article.entry),
      (answers) => expectShown(answers, fields),
    );
  const createPublished = async (fields: Fields = {}) => publish(await createArticle(fields));
  /** Waits until all earlier changes are applied: changes are shown in their order. */
  const othersAreSeen = () => createPublished({ title: 'Another' });

  it('shows the last published version of an article, until it is unpublished', async () => {
    const article = await createArticle({
      excerpt: 'Short',
      content: '<p>One <strong>two</strong></p><p>three</p>',
      seo: { metaTitle: 'Found', metaDescription: 'By many' },
    });
    await othersAreSeen();
    expectHidden(await service.answers(article));
    const first = {
      title: 'First',
      excerpt: 'Short',
      contentHtml: '<p>One <strong>two</strong></p><p>three</p>',
      wordCount: 3,
      readingTimeMinutes: 1,
      metaTitle: 'Found',
      metaDescription: 'By many',
      featuredImageUrl: null,
      websiteId: website.documentId,
      categories: [],
      tags: [],
    };
    await publish(article, first);

    await admin.edit('article', article.entry, { title: 'Second', seo: { metaTitle: 'Found again' } });
    await othersAreSeen();
    expectShown(await service.answers(article), first);
    await publish(article, { title: 'Second', metaTitle: 'Found again' });

    await shows(article, () => admin.unpublish(article.entry), expectHidden);
    await publish(article, { title: 'Second' });
    await shows(article, () => admin.delete('article', article.entry), expectHidden);
  });

  it('shows the date that Strapi shows: that of the last publication', async () => {
    const article = await createPublished();
    const publishedIn = ({ blog }: Answers) => Date.parse(String(blog?.publishedAt));
    const before = publishedIn(await service.answers(article));
    const after = (answers: Answers) => expect(publishedIn(answers)).to.be.greaterThan(before);
    await shows(article, () => admin.publish(article.entry), after);
  });

  it('shows the current tags of an article, on whichever page they were linked', async () => {
    const tag = await createTerm('tag', 'Old', { color: '#ab12cd' });
    const article = await createPublished();
    const tagged = (name: string, slug: string) => (answers: Answers) => {
      const shown = { id: tag.documentId, name, slug };
      expectShown(answers, { tags: [shown] });
      const all = { ...shown, websiteId: website.documentId, color: '#ab12cd' };
      expect(answers.tags).to.deep.include(all);
    };
    const untagged = (answers: Answers) => expectShown(answers, { tags: [] });
    const rename = () => admin.edit('tag', tag, { name: 'New', slug: 'fresh' });
    const linkOnPage = (articles: unknown) => () => admin.edit('tag', tag, { articles });
    await shows(article, linkOnPage(linkTo(article.entry)), tagged('Old', 'old'));
    await shows(article, rename, tagged('New', 'fresh'));
    await shows(article, linkOnPage(unlink(article.entry)), untagged);
    await shows(article, linkOnPage(linkTo(article.entry)), tagged('New', 'fresh'));
    await shows(
      article,
      () => admin.delete('tag', tag),
      (answers) => {
        untagged(answers);
        expect(answers.tags.map(({ id }) => id)).not.to.include(tag.documentId);
      },
    );
  });

  it('shows categories with their parents and their articles', async () => {
    const [above, other] = [await createTerm('category', 'Above'), await createTerm('category', 'Other')];
    const category = await createTerm('category', 'Below', { parent: linkTo(above), sortOrder: 3 });
    const article = await createArticle({ categories: linkTo(category) });
    await publish(article, { categories: [{ id: category.documentId, name: 'Below', slug: 'below' }] });
    const under = (parent: Entry | null) => (answers: Answers) =>
      expect(answers.categories.find(({ id }) => id === category.documentId)).to.include({
        parentId: parent?.documentId ?? null,
        sortOrder: 3,
      });
    under(above)(await service.answers(article));
    await shows(article, () => admin.edit('category', category, { parent: linkTo(other) }), under(other));
    await shows(article, () => admin.delete('category', other), under(null));
    await shows(article, () => admin.edit('category', above, { children: linkTo(category) }), under(above));
    await shows(
      article,
      () => admin.edit('category', category, { name: 'Renamed' }),
      (answers) =>
        expectShown(answers, { categories: [{ id: category.documentId, name: 'Renamed', slug: 'below' }] }),
    );
  });

  it('shows a cover as the media library describes it', async () => {
    const cover = await admin.upload(PICTURE, 'cover.svg', 'A door');
    const article = await createPublished({ cover });
    const { blog } = await service.answers(article);
    expect(blog?.featuredImageUrl).to.match(/^https:\/\/cms\.example\.com\/uploads\/cover_\w+\.svg$/);
    expect(blog).to.include({ featuredImageAlt: 'A door' });
    await shows(
      article,
      () => admin.describePicture(cover, 'An open door'),
      (answers) => expectShown(answers, { featuredImageAlt: 'An open door' }),
    );
  });

  it('shows an article on its website, and nowhere once the website is deleted', async () => {
    const other = await admin.create('website', { name: 'Other' });
    const article = await createPublished();
    await shows(
      article,
      () => admin.edit('website', other, { articles: linkTo(article.entry) }),
      ({ blog, bySlug }) => {
        expect(blog).to.include({ websiteId: other.documentId });
        expect(bySlug).to.equal(null);
      },
    );
    await shows(article, () => admin.delete('website', other), expectHidden);
  });

  it('needs no change and causes no warning of a second `migrate`', async () => {
    expect(await service.run('migrate')).to.equal('Read tables: up to date.\nChange capture: up to date.\n');
  });

  function createTerm(type: 'tag' | 'category', name: string, fields: Fields = {}) {
    return admin.create(type, { name, slug: name.toLowerCase(), website: linkTo(website), ...fields });
  }
});
