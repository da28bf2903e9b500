import { expect } from 'chai';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { createTestMariaDbDatabase, mariaDbForTests } from '../../support/servers/test-mariadb.js';
import { Ghost } from './ghost.js';
import type { Entry, GhostAdmin } from './ghost-admin.js';
import { installedGhost } from './installed-ghost.js';
import { CARD_FOR_MEMBERS, lexicalOf } from './lexical.js';

const INSTALL_MS = 20 * 60_000;

/** A post with the rows that a mapping joins to it. */
const ROWS_OF_POST = `
  select p.type, p.title, p.slug, p.status, p.visibility, p.html, p.feature_image, p.custom_excerpt,
    cast(p.published_at as char) published_at, cast(p.updated_at as char) updated_at, m.meta_title, m.feature_image_alt,
    (select group_concat(t.name order by pt.sort_order) from posts_tags pt join tags t on t.id = pt.tag_id
      where pt.post_id = p.id) tags
  from posts p left join posts_meta m on m.post_id = p.id where p.id = ?`;

describe('A post of Ghost 6 on MariaDB', () => {
  let database: mysql.Connection;
  let ghost: Ghost;
  let admin: GhostAdmin;

  before(async function () {
    this.timeout(INSTALL_MS);
    const programs = await mariaDbForTests(this);
    await installedGhost();
    const url = await createTestMariaDbDatabase(programs);
    ghost = await Ghost.start(url);
    admin = ghost.admin;
    database = await mysql.createConnection(url);
  });

  after(async () => {
    await database?.end();
    await ghost?.stop();
  });

  const rowsOf = async ({ id }: Entry) =>
    (await database.query<RowDataPacket[]>(ROWS_OF_POST, [id]))[0] as readonly RowDataPacket[];
  const rowOf = async (post: Entry) => (await rowsOf(post))[0];

  it('is a row with a status, keeps its date when it is unpublished, and is gone when it is deleted', async () => {
    const post = await admin.create('posts', { title: 'First', html: '<p>One</p>' });
    expect(await rowOf(post)).to.include({ type: 'post', status: 'draft', published_at: null });

    await admin.publish(post, { published_at: '2024-02-03T04:05:06.789Z' });
    const published = { status: 'published', published_at: '2024-02-03 04:05:06' };
    expect(await rowOf(post)).to.include(published);

    await admin.unpublish(post);
    expect(await rowOf(post)).to.include({ ...published, status: 'draft' });

    await admin.edit('posts', post, { status: 'scheduled', published_at: '2040-01-01T00:00:00Z' });
    expect(await rowOf(post)).to.include({ status: 'scheduled', published_at: '2040-01-01 00:00:00' });

    await admin.delete('posts', post);
    expect(await rowsOf(post)).to.eql([]);
  });

  it('is published before its date if the editor decides so', async () => {
    const post = await admin.create('posts', { title: 'Later', html: '<p>Later</p>' });
    await admin.publish(post, { published_at: '2040-01-01T00:00:00Z' });
    expect(await rowOf(post)).to.include({ status: 'published', published_at: '2040-01-01 00:00:00' });
  });

  it('contains a placeholder for the address of the site, which readers of the table have to replace', async () => {
    const image = `${ghost.address}/content/images/a.png`;
    const html = `<p><a href="${ghost.address}/about/">About</a></p>`;
    const post = await admin.create('posts', { title: 'Links', html, feature_image: image });
    expect(await rowOf(post)).to.include({
      html: '<p><a href="__GHOST_URL__/about/">About</a></p>',
      feature_image: '__GHOST_URL__/content/images/a.png',
    });
  });

  it('has its metadata in another row, if there is any, and no HTML if it has no text', async () => {
    const post = await admin.create('posts', { title: 'Empty', status: 'published' });
    const none = { html: null, custom_excerpt: null, feature_image: null };
    expect(await rowOf(post)).to.include({ ...none, meta_title: null, feature_image_alt: null });

    await admin.edit('posts', post, { meta_title: 'Found', feature_image_alt: 'A tap' });
    expect(await rowOf(post)).to.include({ ...none, meta_title: 'Found', feature_image_alt: 'A tap' });
  });

  it('is in the same table as a page and as a post that was only sent by mail', async () => {
    const page = await admin.create('pages', { title: 'Both', html: '<p>Page</p>', status: 'published' });
    const post = await admin.create('posts', { title: 'By mail', html: '<p>Mail</p>' });
    expect(await rowOf(page)).to.include({ type: 'page', status: 'published' });

    await admin.sendByMailAlone(post);
    expect(await rowOf(post)).to.include({ type: 'post', status: 'sent', visibility: 'public' });
    expect(await rowOf(post))
      .to.have.property('published_at')
      .that.is.a('string');
  });

  it('has a visibility, and keeps text for members in its HTML', async () => {
    const html = '<p>All</p><!--members-only--><p>Members</p>';
    const post = await admin.create('posts', { title: 'For members', html, visibility: 'members' });
    expect(await rowOf(post)).to.include({ visibility: 'members', html });

    const open = await admin.create('posts', { title: 'Open', lexical: lexicalOf(CARD_FOR_MEMBERS) });
    const row = await rowOf(open);
    expect(row).to.include({ visibility: 'public' });
    expect(row?.html).to.match(
      /<!--kg-gated-block:begin nonMember:false .*-->.*<p>Members<\/p>.*<!--kg-gated-block:end-->/s,
    );
  });

  it('may contain a character that PostgreSQL cannot store', async () => {
    const post = await admin.create('posts', { title: 'A\0B', html: '<p>NUL</p>' });
    expect(await rowOf(post)).to.include({ title: 'A\0B' });
  });

  it('has its tags in order, including internal ones', async () => {
    const tags = [{ name: 'One' }, { name: 'Two' }, { name: '#internal' }];
    const post = await admin.create('posts', { title: 'Tagged', html: '<p>Tags</p>', tags });
    expect(await rowOf(post)).to.include({ tags: 'One,Two,#internal' });

    await admin.edit('posts', post, { tags: [{ name: 'Two' }, { name: 'Three' }] });
    expect(await rowOf(post)).to.include({ tags: 'Two,Three' });
  });

  it('may have tags with any text as color', async () => {
    const tag = await admin.create('tags', { name: 'Red', accent_color: 'red' });
    const [rows] = await database.query('select accent_color from tags where id = ?', [tag.id]);
    expect(rows).to.eql([{ accent_color: 'red' }]);
  });

  it('does not change when its tag is renamed or deleted, and keeps its time when many are unpublished at once', async () => {
    const tag = await admin.create('tags', { name: 'Old' });
    const post = await admin.create('posts', { title: 'Many', status: 'published', tags: [{ id: tag.id }] });
    await database.query("update posts set updated_at = '2020-01-01 00:00:00' where id = ?", [post.id]);

    await admin.edit('tags', tag, { name: 'New', slug: 'new' });
    expect(await rowOf(post)).to.include({ tags: 'New', updated_at: '2020-01-01 00:00:00' });
    await admin.delete('tags', tag);
    expect(await rowOf(post)).to.include({ tags: null, updated_at: '2020-01-01 00:00:00' });

    await admin.editAll([post], 'unpublish');
    expect(await rowOf(post)).to.include({ status: 'draft', updated_at: '2020-01-01 00:00:00' });
    await admin.deleteAll([post]);
    expect(await rowsOf(post)).to.eql([]);
  });
});
