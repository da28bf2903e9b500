import { expect } from 'chai';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { createTestMariaDbDatabase, mariaDbForTests } from '../../support/servers/test-mariadb.js';
import { serviceByGuide } from '../mariadb-guide.js';
import { type Answers, expectHidden, expectShown, type ServiceOnDashboard } from '../service-on-dashboard.js';
import { Ghost } from './ghost.js';
import type { Entry, GhostAdmin } from './ghost-admin.js';
import { installedGhost } from './installed-ghost.js';

const INSTALL_MS = 20 * 60_000;
const OPEN_CARD = { type: 'html', version: 1, html: '<p>All</p>' };
const MEMBERS = 'status:free,status:-free';
/** A card that its author has hidden from visitors of the site. */
const CARD_FOR_MEMBERS = {
  type: 'html',
  version: 1,
  html: '<p>Members</p>',
  visibility: { web: { nonMember: false, memberSegment: MEMBERS }, email: { memberSegment: MEMBERS } },
};

describe('With the mapping for Ghost 6 on MariaDB, the API', () => {
  let ghost: Ghost;
  let admin: GhostAdmin;
  let service: ServiceOnDashboard;
  let keyId: string;

  before(async function () {
    this.timeout(INSTALL_MS);
    const programs = await mariaDbForTests(this);
    await installedGhost();
    const url = await createTestMariaDbDatabase(programs);
    ghost = await Ghost.start(url);
    admin = ghost.admin;
    ({ service, keyId } = await serviceByGuide('ghost', url));
  });

  after(async () => {
    await service?.stop('Ghost');
    await ghost?.stop();
  });

  const published = (fields: Readonly<Record<string, unknown>>) =>
    service.shows(
      () => admin.create('posts', { status: 'published', ...fields }),
      (answers) => expectShown(answers, { title: fields.title }),
    );
  /** Waits until all earlier changes are applied: changes are shown in their order. */
  const othersAreSeen = () => published({ title: 'Another' });

  it('shows a published post, with each edit, until it is unpublished', async () => {
    const post = await admin.create('posts', {
      title: 'First',
      html: '<p>One <strong>two</strong></p><p>three</p>',
      custom_excerpt: 'Short',
      meta_title: 'Found',
      meta_description: 'By many',
      feature_image: `${ghost.address}/content/images/a.png`,
      feature_image_alt: 'A tap',
    });
    await othersAreSeen();
    expectHidden(await service.answers(post));

    await service.shows(
      () => admin.publish(post, { published_at: '2024-02-03T04:05:06.789Z' }),
      (answers) =>
        expectShown(answers, {
          title: 'First',
          slug: 'first',
          excerpt: 'Short',
          metaTitle: 'Found',
          metaDescription: 'By many',
          featuredImageUrl: 'https://example.com/content/images/a.png',
          featuredImageAlt: 'A tap',
          contentHtml: '<p>One <strong>two</strong></p><p>three</p>',
          wordCount: 0,
          readingTimeMinutes: 0,
          publishedAt: '2024-02-03T04:05:06.000Z',
          websiteId: 'ghost',
          categories: [],
          tags: [],
        }),
    );
    await service.shows(
      () => admin.edit('posts', post, { title: 'Edited', slug: 'edited', meta_title: 'Found again' }),
      (answers) => expectShown(answers, { title: 'Edited', slug: 'edited', metaTitle: 'Found again' }),
    );
    const unpublished = await service.shows(() => admin.unpublish(post), expectHidden);
    await service.shows(
      () => admin.publish(unpublished),
      (answers) => expectShown(answers, { title: 'Edited' }),
    );
  });

  it('shows no post that was unpublished or deleted, alone or together with others', async () => {
    const [one, two, three, four] = [
      await published({ title: 'Of many 1' }),
      await published({ title: 'Of many 2' }),
      await published({ title: 'Of many 3' }),
      await published({ title: 'Alone' }),
    ];
    const gone = async (posts: readonly [Entry, ...Entry[]], edit: () => Promise<void>) => {
      await service.shows(() => edit().then(() => posts[0]), expectHidden);
      for (const post of posts) expectHidden(await service.answers(post));
    };
    await gone([one, two], () => admin.editAll([one, two], 'unpublish'));
    await gone([three], () => admin.deleteAll([three]));
    await gone([four], () => admin.delete('posts', four));
  });

  it('shows a post while it is public, and no scheduled post', async () => {
    const post = await published({ title: 'For some' });
    await service.shows(() => admin.edit('posts', post, { visibility: 'members' }), expectHidden);
    await service.shows(
      () => admin.edit('posts', post, { visibility: 'public' }),
      (answers) => expectShown(answers, { title: 'For some' }),
    );
    const scheduled = await admin.create('posts', {
      title: 'Later',
      status: 'scheduled',
      published_at: '2040-01-01T00:00:00Z',
    });
    await othersAreSeen();
    expectHidden(await service.answers(scheduled));
  });

  it('shows the current tags of a post, and no internal tags', async () => {
    const fields = { name: 'Old', slug: 'old', color: '#AB12cd', websiteId: 'ghost' };
    const tag = await service.shows(
      () => admin.create('tags', { name: 'Old', accent_color: '#AB12cd' }),
      ({ tags }) => expect(tags.find(({ slug }) => slug === 'old')).to.include(fields),
    );
    const post = await published({ title: 'Tagged', tags: [{ id: tag.id }, { name: '#internal' }] });
    const tagged = (name: string, slug: string) => (answers: Answers) => {
      expectShown(answers, { tags: [{ id: tag.id, name, slug }] });
      expect(namesOf(answers.tags)).to.include(name).and.not.include('#internal');
    };
    tagged('Old', 'old')(await service.answers(post));
    const untagged = (answers: Answers) => {
      expectShown(answers, { tags: [] });
      expect(answers.tags.map(({ id }) => id)).not.to.include(tag.id);
    };
    const edited = (edit: () => Promise<unknown>, check: (answers: Answers) => void) =>
      service.shows(() => edit().then(() => post), check);

    await edited(() => admin.edit('tags', tag, { name: 'New', slug: 'fresh' }), tagged('New', 'fresh'));
    await edited(() => admin.edit('tags', tag, { name: '#new', visibility: 'internal' }), untagged);
    await edited(
      () => admin.edit('tags', tag, { name: 'New', slug: 'fresh', visibility: 'public' }),
      tagged('New', 'fresh'),
    );
    await edited(() => admin.delete('tags', tag), untagged);
  });

  it('shows a public post without its parts for members', async () => {
    const post = await published({
      title: 'Gated',
      lexical: lexicalOf(OPEN_CARD, CARD_FOR_MEMBERS, OPEN_CARD),
    });
    const { blog } = await service.answers(post);
    expect(blog?.contentHtml).to.match(/<p>All<\/p>.*<p>All<\/p>/s);
    expect(blog?.contentHtml).not.to.match(/Members|kg-gated-block/);
  });

  it('shows nothing of a part for members that is so long that a regular expression may reach its limits', async () => {
    const paragraph = `<p>${'Members only. '.repeat(50)}</p>`;
    const long = { ...CARD_FOR_MEMBERS, html: paragraph.repeat(2_000) };
    const post = await published({ title: 'Long', lexical: lexicalOf(long, OPEN_CARD) });
    const { blog } = await service.answers(post);
    expect(blog?.contentHtml).to.match(/^\s*<!--kg-card-begin: html-->\s*<p>All<\/p>/);
  });

  it('shows no page, and no post that was only sent by mail', async () => {
    const page = await admin.create('pages', { title: 'About', html: '<p>Page</p>', status: 'published' });
    const sent = await admin.create('posts', { title: 'By mail', html: '<p>Mail</p>' });
    await admin.sendByMailAlone(sent);
    await othersAreSeen();
    expectHidden(await service.answers(page));
    expectHidden(await service.answers(sent));
  });

  it('refuses a key once it is revoked', async () => {
    await service.run('keys', 'revoke', '--id', keyId);
    await eventually(async () => expect((await service.get('tags')).status).to.equal(401));
  });
});

function namesOf(tags: Answers['tags']): readonly unknown[] {
  return tags.map(({ name }) => name);
}

/** The format in which Ghost's editor sends text. */
function lexicalOf(...children: readonly object[]): string {
  return JSON.stringify({
    root: { type: 'root', version: 1, direction: null, format: '', indent: 0, children },
  });
}
