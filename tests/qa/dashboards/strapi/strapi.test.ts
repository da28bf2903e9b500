import { expect } from 'chai';
import pg from 'pg';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { installedPackages } from '../installed-packages.js';
import { APP, Strapi } from './strapi.js';
import { type Entry, linkTo, PICTURE, unlink } from './strapi-admin.js';

const INSTALL_MS = 20 * 60_000;

interface ArticleRow {
  readonly id: number;
  readonly title: string;
  readonly created: string;
  readonly published: string | null;
  readonly website: string | null;
  readonly tags: readonly string[];
  readonly metaTitle: string | null;
  readonly coverText: string | null;
}

/** An article with the rows that a mapping joins to it. */
const ROWS_OF_ARTICLE = `
  select a.id, a.title, a.created_at::text as created, a.published_at::text as published,
    (select w.document_id from articles_website_lnk l join websites w on w.id = l.website_id
      where l.article_id = a.id) as website,
    array(select t.name from articles_tags_lnk l join tags t on t.id = l.tag_id
      where l.article_id = a.id order by l.tag_ord)::text[] as tags,
    (select s.meta_title from articles_cmps c join components_shared_seos s on s.id = c.cmp_id
      where c.entity_id = a.id and c.field = 'seo' and c.component_type = 'shared.seo') as "metaTitle",
    (select f.alternative_text from files_related_mph r join files f on f.id = r.file_id
      where r.related_id = a.id and r.related_type = 'api::article.article' and r.field = 'cover') as "coverText"
  from articles a where a.document_id = $1 order by a.published_at nulls first`;

describe('An article of Strapi 5', () => {
  let databaseUrl: string;
  let database: pg.Client;
  let strapi: Strapi;
  let website: Entry;

  before(async function () {
    this.timeout(INSTALL_MS);
    await installedPackages(APP);
    databaseUrl = await createTestDatabase();
    strapi = await Strapi.start(databaseUrl);
    database = new pg.Client(databaseUrl);
    await database.connect();
    website = await strapi.admin.create('website', { name: 'Notes' });
  });

  after(async () => {
    await database?.end();
    await strapi?.stop();
  });

  const rowsOf = async ({ documentId }: Entry) =>
    (await database.query<ArticleRow>(ROWS_OF_ARTICLE, [documentId])).rows;

  let articles = 0;
  const createArticle = (fields: Record<string, unknown> = {}) => {
    const slug = `article-${++articles}`;
    return strapi.admin.create('article', { title: 'First', slug, website: linkTo(website), ...fields });
  };

  it('has a row without a date for its draft, and a second row with a date for its published version', async () => {
    const article = await createArticle();
    expect(await rowsOf(article)).to.have.length(1);
    expect((await rowsOf(article))[0]).to.include({ title: 'First', published: null });

    await strapi.admin.publish(article);
    await strapi.admin.edit('article', article, { title: 'Second' });
    const [draft, published, ...others] = await rowsOf(article);
    expect(others).to.eql([]);
    expect(draft).to.include({ id: article.id, title: 'Second', published: null });
    expect(published).to.include({ title: 'First', website: website.documentId });
    expect(published?.published).to.be.a('string');
  });

  it('gets another row with another date each time that it is published', async () => {
    const article = await createArticle();
    await strapi.admin.publish(article);
    const [, before] = await rowsOf(article);
    await strapi.admin.publish(article);
    const [, after, ...others] = await rowsOf(article);
    expect(others).to.eql([]);
    expect(after?.id).not.to.equal(before?.id);
    expect(after?.published).not.to.equal(before?.published);
    expect(after?.created).to.equal(before?.created);
  });

  it('has only the draft once it is unpublished, and no row once it is deleted', async () => {
    const article = await createArticle();
    await strapi.admin.publish(article);
    await strapi.admin.unpublish(article);
    expect((await rowsOf(article)).map(({ published }) => published)).to.eql([null]);
    await strapi.admin.publish(article);
    await strapi.admin.delete('article', article);
    expect(await rowsOf(article)).to.eql([]);
  });

  it('gets another row for its draft when changes are discarded', async () => {
    const article = await createArticle();
    await strapi.admin.publish(article);
    await strapi.admin.edit('article', article, { title: 'Second' });
    await strapi.admin.discardDraft(article);
    const [draft, published] = await rowsOf(article);
    expect(draft?.id).not.to.equal(article.id);
    expect([draft?.title, published?.title]).to.eql(['First', 'First']);
  });

  it('has a published row with the links that the draft had at the time of publication', async () => {
    const [old, recent] = await createTags('Old', 'Recent');
    const article = await createArticle({ tags: linkTo(old), seo: { metaTitle: 'Seen' } });
    await strapi.admin.publish(article);
    const other = await strapi.admin.create('website', { name: 'Other' });
    const changes = { website: linkTo(other), tags: linkTo(recent), seo: { metaTitle: 'Unseen' } };
    await strapi.admin.edit('article', article, changes);
    await strapi.admin.edit('article', article, { tags: unlink(old) });
    const [draft, published] = await rowsOf(article);
    expect(draft).to.deep.include({ website: other.documentId, tags: ['Recent'], metaTitle: 'Unseen' });
    expect(published).to.deep.include({ website: website.documentId, tags: ['Old'], metaTitle: 'Seen' });
  });

  it('has both rows linked at once if it is linked on the page of a tag or a website', async () => {
    const [tag] = await createTags('From its page');
    const article = await createArticle();
    await strapi.admin.publish(article);
    await strapi.admin.edit('tag', tag, { articles: linkTo(article) });
    expect((await rowsOf(article)).map(({ tags }) => tags)).to.eql([['From its page'], ['From its page']]);
    const other = await strapi.admin.create('website', { name: 'Other' });
    await strapi.admin.edit('website', other, { articles: linkTo(article) });
    expect((await rowsOf(article)).map((row) => row.website)).to.eql([other.documentId, other.documentId]);
    await strapi.admin.delete('tag', tag);
    expect((await rowsOf(article)).map(({ tags }) => tags)).to.eql([[], []]);
  });

  it('remains published, without a website, when its website is deleted', async () => {
    const other = await strapi.admin.create('website', { name: 'Other' });
    const article = await createArticle({ website: linkTo(other) });
    await strapi.admin.publish(article);
    await strapi.admin.delete('website', other);
    expect((await rowsOf(article)).map((row) => row.website)).to.eql([null, null]);
  });

  it('has a cover whose text changes in the media library without a change of another row', async () => {
    const cover = await strapi.admin.upload(PICTURE, 'cover.svg', 'A door');
    const article = await createArticle({ cover });
    await strapi.admin.publish(article);
    const before = await rowsOf(article);
    await strapi.admin.describePicture(cover, 'An open door');
    expect(await rowsOf(article)).to.eql(before.map((row) => ({ ...row, coverText: 'An open door' })));
  });

  it('has its times in the time zone of the process', async () => {
    const elsewhere = await Strapi.start(databaseUrl, 'America/New_York');
    try {
      const entry = await elsewhere.admin.create('tag', { name: 'Far away', slug: 'far-away' });
      const { rows } = await database.query(
        `select created_at at time zone 'America/New_York' as "createdAt" from tags where document_id = $1`,
        [entry.documentId],
      );
      expect(rows).to.eql([{ createdAt: new Date(entry.createdAt) }]);
    } finally {
      await elsewhere.stop();
    }
  });

  async function createTags<Names extends readonly string[]>(...names: Names) {
    const made: Entry[] = [];
    for (const name of names) {
      const slug = name.toLowerCase().replaceAll(' ', '-');
      made.push(await strapi.admin.create('tag', { name, slug, website: linkTo(website) }));
    }
    return made as { readonly [Place in keyof Names]: Entry };
  }
});
