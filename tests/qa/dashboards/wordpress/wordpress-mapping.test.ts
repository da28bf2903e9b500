import { expect } from 'chai';
import mysql from 'mysql2/promise';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { createTestMariaDbDatabase } from '../../support/servers/test-mariadb.js';
import { type Answers, expectHidden, expectShown, type ServiceOnDashboard } from '../service-on-dashboard.js';
import { serviceByGuide } from './service-by-guide.js';
import { type Call, WordPress, wordPressForTests } from './wordpress.js';

const IS_SHOWN = { contentHtml: '<p>One</p>' };

type Fields = Readonly<Record<string, unknown>>;
type Term = Fields & { readonly id: string };
type Shown = Fields & {
  readonly slug: string;
  readonly categories: readonly Term[];
  readonly tags: readonly Term[];
};

describe('With the mapping for WordPress 6 on MariaDB, the API', () => {
  let database: mysql.Connection;
  let wordPress: WordPress;
  let service: ServiceOnDashboard;

  before(async function () {
    const installed = await wordPressForTests(this);
    const url = await createTestMariaDbDatabase(this);
    wordPress = await WordPress.install(installed, url);
    await wordPress.call('update_option', 'timezone_string', 'Europe/Paris');
    service = await serviceByGuide(url);
    database = await mysql.createConnection(url);
  });

  after(async () => {
    await database?.end();
    await service?.stop();
    await wordPress?.stop();
  });

  const insert = (fields: Fields = {}, as = 'wp_insert_post') =>
    wordPress.call<number>(
      as,
      { post_title: 'First', post_content: '<p>One</p>', post_status: 'publish', ...fields },
      true,
    );
  const term = async (taxonomy: 'category' | 'post_tag', name: string, fields: Fields = {}) =>
    (await wordPress.call<{ term_id: number }>('wp_insert_term', name, taxonomy, fields)).term_id;
  const picture = (file: string | false, guid = '') =>
    wordPress.call<number>('wp_insert_attachment', { post_mime_type: 'image/png', guid }, file);

  /**
   * Makes the edits, after which WordPress has to return these fields of the post, or null if visitors do not see it.
   * Waits until the API agrees with WordPress in every field of the post, the categories and the tags.
   */
  async function edited(id: number, edits: readonly Call[], expected: Fields | null): Promise<void> {
    const [before] = (await wordPress.callAll([['shown_post', [id]], ...edits])) as [Shown | null];
    await agrees(id, expected, before?.slug);
  }

  async function agrees(id: number, expected: Fields | null, slugBefore = 'first'): Promise<void> {
    const [post, categories, tags] = (await wordPress.callAll([
      ['shown_post', [id]],
      ['shown_categories', []],
      ['shown_tags', []],
    ])) as [Shown | null, readonly Term[], readonly Term[]];
    if (expected === null) expect(post).to.equal(null);
    else expect(post).to.deep.include(expected);
    await service.shows(
      async () => ({ id: String(id), slug: post?.slug ?? slugBefore }),
      (answers) => {
        expect(byId(answers.categories)).to.eql(byId(categories, { websiteId: 'wordpress', sortOrder: 0 }));
        expect(byId(answers.tags)).to.eql(byId(tags, { websiteId: 'wordpress', color: '#888888' }));
        if (post === null) expectHidden(answers);
        else expectAsInWordPress(answers, post);
      },
    );
  }

  it('shows a published post as WordPress does after each edit, while visitors see it', async () => {
    const id = await insert({ post_status: 'draft' });
    const update = (fields: Fields): readonly Call[] => [['wp_update_post', [{ ID: id, ...fields }, true]]];
    const date = { post_date: '2024-02-03 04:05:06', post_date_gmt: '2024-02-03 03:05:06', edit_date: true };
    const edits: readonly (readonly [readonly Call[], Fields | null])[] = [
      [[], null],
      [
        update({ post_status: 'publish', ...date }),
        { publishedAt: '2024-02-03T03:05:06.000Z', excerpt: null },
      ],
      [update({ post_title: 'Edited', post_name: 'edited' }), { title: 'Edited', slug: 'edited' }],
      [update({ post_excerpt: '<em>Short</em>' }), { excerpt: '<em>Short</em>' }],
      [update({ post_content: '<!-- wp:paragraph -->\n<p>Two &amp; three</p>' }), { slug: 'edited' }],
      [
        [
          ['update_post_meta', [id, '_yoast_wpseo_title', 'Found']],
          ['update_post_meta', [id, '_yoast_wpseo_metadesc', 'By many']],
          ['update_post_meta', [id, '_edit_lock', '1:1']],
        ],
        { metaTitle: 'Found', metaDescription: 'By many' },
      ],
      [[['delete_post_meta', [id, '_yoast_wpseo_title']]], { metaTitle: null }],
      [update({ post_password: 'secret' }), null],
      [update({ post_password: '' }), { slug: 'edited' }],
      [update({ post_status: 'private' }), null],
      [update({ post_status: 'publish' }), { slug: 'edited' }],
      [update({ post_type: 'page' }), null],
      [update({ post_type: 'post' }), { slug: 'edited' }],
      [[['wp_trash_post', [id]]], null],
      [[['wp_untrash_post', [id]], ...update({ post_status: 'publish' })], { slug: 'edited' }],
      [
        update({ post_date: '2040-01-01 00:00:00', post_date_gmt: '2039-12-31 23:00:00', edit_date: true }),
        null,
      ],
      [[['wp_publish_post', [id]]], { publishedAt: '2039-12-31T23:00:00.000Z' }],
      [[['wp_delete_post', [id, true]]], null],
    ];
    for (const [calls, expected] of edits) await edited(id, calls, expected);
  });

  it('shows titles and names as text, where WordPress stores the entities of HTML', async () => {
    const text = `R&D "x" it's 1 > 0`;
    await agrees(await insert({ post_title: text }), { title: text });
    await agrees(await insert({ post_title: text }, 'insert_as_author'), { title: text });
    const stored = '&quot;A&quot; &amp;amp; B&#039;s &eacute;&#8217; <em>c</em>';
    await agrees(await insert({ post_title: stored }), {
      title: `"A" &amp; B's &eacute;&#8217; <em>c</em>`,
    });
    const [category, tag] = [await term('category', 'R&D 1 > 0'), await term('post_tag', `Q&A "x" it's`)];
    const [rows] = await database.query('select name from wp_terms where term_id = ?', [category]);
    expect(rows).to.eql([{ name: 'R&amp;D 1 &gt; 0' }]);
    const id = await insert();
    const edits: readonly Call[] = [
      ['wp_set_post_terms', [id, [category], 'category']],
      ['wp_set_post_terms', [id, [tag], 'post_tag']],
    ];
    await edited(id, edits, {
      categories: [{ id: String(category), name: 'R&D 1 > 0', slug: 'rd-1-0' }],
      tags: [{ id: String(tag), name: `Q&A "x" it's`, slug: 'qa-x-its' }],
    });
  });

  it('shows slugs percent-encoded, as WordPress stores them, and finds by them', async () => {
    const category = await term('category', '日本');
    const id = await insert({ post_title: '日本 été' });
    const slug = '%e6%97%a5%e6%9c%ac-%c3%a9t%c3%a9';
    await wordPress.call('wp_update_post', { ID: id, post_name: slug });
    await edited(id, [['wp_set_post_terms', [id, [category], 'category']]], { slug });
    expect(encodeURIComponent('日本-été').toLowerCase()).to.equal(slug);
    const found = await service.get(`blogs?category=${encodeURIComponent('%e6%97%a5%e6%9c%ac')}`);
    expect(found.json().data.map((blog: Term) => blog.id)).to.eql([String(id)]);
  });

  it('shows the local time of a post without a time in UTC, and lists a post without any', async () => {
    const id = await insert({ post_name: 'dated' });
    await agrees(id, IS_SHOWN);
    const setTimes = (local: string) =>
      database.query(
        `set statement sql_mode = '' for update wp_posts set post_date = ?, post_date_gmt = 0 where id = ?`,
        [local, id],
      );
    await setTimes('2024-02-03 04:05:06');
    await eventually(async () =>
      expectShown(await service.answers({ id: String(id), slug: 'dated' }), {
        publishedAt: '2024-02-03T04:05:06.000Z',
      }),
    );
    await setTimes('0000-00-00 00:00:00');
    await eventually(async () => expectHidden(await service.answers({ id: String(id), slug: 'dated' })));
    expect(await service.status()).to.match(new RegExp(`id: "?${id}"?\\n.*published`));
  });

  it('shows the picture of a post as the media library has it', async () => {
    const [id, other] = [await insert(), await insert()];
    const [first, remote] = [
      await picture('2024/02/a.png'),
      await picture(false, 'https://cdn.example.com/b.png'),
    ];
    const uploads = 'https://example.com/wp-content/uploads';
    const set = (name: string, value: string): readonly Call[] => [
      ['update_post_meta', [first, name, value]],
    ];
    await edited(other, [['set_post_thumbnail', [other, first]]], { featuredImageAlt: null });
    await edited(id, [['set_post_thumbnail', [id, first]]], { featuredImageUrl: `${uploads}/2024/02/a.png` });
    await edited(id, set('_wp_attachment_image_alt', 'A door'), { featuredImageAlt: 'A door' });
    await edited(other, set('_wp_attachment_image_alt', 'R & D'), { featuredImageAlt: 'R & D' });
    await agrees(id, { featuredImageAlt: 'R & D' });
    await edited(id, set('_wp_attached_file', '2024/03/c.png'), {
      featuredImageUrl: `${uploads}/2024/03/c.png`,
    });
    await edited(id, [['update_post_meta', [id, '_thumbnail_id', remote]]], {
      featuredImageUrl: 'https://cdn.example.com/b.png',
    });
    await edited(other, [['wp_delete_attachment', [first, true]]], { featuredImageUrl: null });
    await edited(id, [['update_post_meta', [id, '_thumbnail_id', 'none']]], { featuredImageUrl: null });
    await edited(id, [['update_post_meta', [id, '_thumbnail_id', remote]]], { featuredImageAlt: null });
    await edited(id, [['delete_post_thumbnail', [id]]], { featuredImageUrl: null });
  });

  it('shows the terms of a post, and the parents of categories', async () => {
    const id = await insert();
    const [above, below, tag] = [
      await term('category', 'Above'),
      await term('category', 'Below', { description: 'Under <em>it</em>' }),
      await term('post_tag', 'Old'),
    ];
    const link = (term: number, name: string) => ({ id: String(term), name, slug: name.toLowerCase() });
    const updateTerm = (term: number, taxonomy: string, fields: Fields): readonly Call[] => [
      ['wp_update_term', [term, taxonomy, fields]],
    ];
    const shownBelow = { categories: [link(below, 'Below')] };
    await edited(id, [['wp_set_post_terms', [id, [below], 'category']]], shownBelow);
    await edited(id, [['wp_set_post_terms', [id, [tag], 'post_tag']]], { tags: [link(tag, 'Old')] });
    await edited(id, updateTerm(below, 'category', { parent: above }), shownBelow);
    await edited(id, updateTerm(tag, 'post_tag', { name: 'New', slug: 'new' }), { tags: [link(tag, 'New')] });
    await edited(id, [['wp_delete_term', [above, 'category']]], shownBelow);
    await edited(id, [['wp_delete_term', [tag, 'post_tag']]], { tags: [] });
    // WordPress puts a post without a category into the default one.
    await edited(id, [['wp_delete_term', [below, 'category']]], { categories: [link(1, 'Uncategorized')] });
  });

  it('needs no change by a second `migrate`, which names only the post without a time', async () => {
    expect(await service.run('migrate')).to.match(
      /^Read tables: up to date\.\nMapping: blogs: published_at is null in 1 of .*\nChange capture: up to date\.\n$/,
    );
  });
});

function expectAsInWordPress(answers: Answers, post: Shown): void {
  expectShown(answers, { websiteId: 'wordpress', wordCount: 0, readingTimeMinutes: 0 });
  const { blog } = answers;
  const { websiteId, wordCount, readingTimeMinutes, ...others } = blog as Fields;
  const sorted = { categories: byId(post.categories), tags: byId(post.tags) };
  const shown = { categories: byId(blog?.categories), tags: byId(blog?.tags) };
  expect({ ...others, ...shown }).to.eql({ ...post, ...sorted });
}

/** WordPress and the API order terms differently. */
function byId(terms: unknown, others: Fields = {}): readonly Fields[] {
  return (terms as readonly Term[])
    .map((term) => ({ ...term, ...others }))
    .toSorted((a, b) => Number(a.id) - Number(b.id));
}
