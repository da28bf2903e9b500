import { expect } from 'chai';
import type { Knex } from 'knex';
import { readSlice } from '../../src/application/sync/read-slice.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aTag } from '../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import type { RowKind } from '../../src/domain/model/read-model.js';
import { putIntoDashboard } from '../support/dashboards/dashboard-rows.js';
import { referenceSource } from '../support/dashboards/reference-mapping.js';

const MEGABYTE = 1024 * 1024;

/** Rows that no process could hold: a worker reads only how large they are. */
export function itLeavesAbsurdRowsUnread(database: () => Knex): void {
  describe('for rows of absurd sizes,', () => {
    const owner = () => ({ organizationId: freshId('org'), websiteId: freshId('web') });
    let fetched = 0;
    const read = async (kind: RowKind, ids: readonly string[]) => {
      const before = bytesRead(database());
      const reading = await referenceSource(database()).read(kind, ids);
      fetched = bytesRead(database()) - before;
      return reading;
    };
    const readBlog = async (id: string) => {
      const before = bytesRead(database());
      const slice = await readSlice(referenceSource(database()), 'blogs', [id]);
      fetched = bytesRead(database()) - before;
      return slice;
    };
    const enlarge = (table: string, id: string, columns: Readonly<Record<string, number>>) =>
      database()(table)
        .where({ id })
        .update(
          Object.fromEntries(
            Object.entries(columns).map(([column, bytes]) => [
              column,
              database().raw('repeat(?, ?)', ['x', bytes]),
            ]),
          ),
        );

    it('reads nothing of a draft, whatever it contains', async () => {
      const [draft, next] = [freshId('blog'), freshId('blog')];
      const owned = owner();
      await putIntoDashboard(database(), 'blogs', aSourceBlog({ id: draft, ...owned, status: 'draft' }));
      await putIntoDashboard(database(), 'blogs', aSourceBlog({ id: next, ...owned }));
      await enlarge('blogs', draft, { content_html: 30 * MEGABYTE });
      const reading = await read('blogs', [draft, next]);
      expect(reading.ids).to.deep.equal([draft, next]);
      expect(reading.rows.map(({ id }) => id)).to.deep.equal([next]);
      expect(reading.refused).to.deep.equal([]);
      expect(fetched).to.be.below(MEGABYTE);
    });

    for (const [column, field] of Object.entries({
      content_html: 'contentHtml',
      excerpt: 'excerpt',
      featured_image_alt: 'featuredImageAlt',
    })) {
      it(`refuses a blog because of its ${field}, without reading it`, async () => {
        const blog = aSourceBlog({ id: freshId('blog'), ...owner() });
        await putIntoDashboard(database(), 'blogs', blog);
        await enlarge('blogs', blog.id, { [column]: 12 * MEGABYTE });
        const { rows, refused } = await read('blogs', [blog.id]);
        expect(rows).to.deep.equal([]);
        expect(refused.map(({ id }) => id)).to.deep.equal([blog.id]);
        expect(refused[0]?.reason).to.match(new RegExp(`^${column} has 12582912 bytes; the limit is \\d+$`));
        expect(fetched).to.be.below(MEGABYTE);
      });
    }

    it('skips 250 excerpts that are too large in one read', async () => {
      const owned = owner();
      const ids = Array.from({ length: 250 }, () => freshId('blog'));
      await putIntoDashboard(database(), 'blogs', aSourceBlog({ id: freshId('blog'), ...owned }));
      await database().raw(
        `insert into blogs (id, website_id, title, slug, excerpt, status, published_at)
         select id, ?, id, id, repeat('x', 200000), 'published', now() from unnest(?::text[]) as id`,
        [owned.websiteId, ids],
      );
      const { ids: handled, rows, refused } = await read('blogs', ids);
      expect(handled).to.deep.equal(ids);
      expect(rows).to.deep.equal([]);
      expect(refused).to.have.length(250);
      expect(fetched).to.be.below(MEGABYTE);
    });

    for (const kind of ['categories', 'tags'] as const) {
      it(`refuses a blog because of one of its ${kind}, and reads only the beginning of its name`, async () => {
        const owned = owner();
        const id = freshId('term');
        const term = kind === 'tags' ? aTag({ id, ...owned }) : aSourceCategory({ id, ...owned });
        await putIntoDashboard(database(), kind, term as never);
        await enlarge(kind, id, { name: 30 * MEGABYTE });
        const blog = aSourceBlog({ id: freshId('blog'), ...owned, [kind]: [term] });
        await putIntoDashboard(database(), 'blogs', blog);
        const { rows, unshown } = await readBlog(blog.id);
        expect(rows).to.deep.equal([]);
        expect(unshown[0]?.reason).to.match(/name has 10001 bytes; the limit is 10000$/);
        expect(fetched).to.be.below(MEGABYTE);
      });
    }

    it('refuses a blog because of the number of its tags, even if their texts are short', async () => {
      const owned = owner();
      const blog = aSourceBlog({ id: freshId('blog'), ...owned });
      await putIntoDashboard(database(), 'blogs', blog);
      await database().transaction(async (putting) => {
        // With the hostile settings of the database, or with an old plan, each link would scan all tags.
        await putting.raw('set local enable_indexscan = on; discard plans');
        await putting.raw(
          `with added as (
             insert into tags (id, website_id, name, slug)
             select :prefix || n, :websiteId, '', n::text from generate_series(1, 9900) as n returning id
           ) insert into blog_tags (blog_id, tag_id) select :blogId, id from added`,
          { prefix: freshId(''), websiteId: owned.websiteId, blogId: blog.id },
        );
      });
      const { rows, unshown } = await readBlog(blog.id);
      expect(rows).to.deep.equal([]);
      expect(unshown[0]?.reason).to.match(/^tags has \d{7} bytes; the limit is 20000$/);
    });

    it('refuses a row because of its id', async () => {
      const owned = owner();
      // An index stores compressed ids, so that these can be a hundred times as long as its limit.
      const ids = Array.from({ length: 20 }, (_, n) => `${freshId('tag')}-${n}-${'x'.repeat(100_000)}`);
      for (const id of ids) {
        await putIntoDashboard(database(), 'tags', aTag({ id, ...owned, slug: freshId('slug') }));
      }
      const { rows, refused } = await read('tags', ids);
      expect(rows).to.deep.equal([]);
      expect(refused.map(({ id }) => id)).to.have.members(ids);
      expect(refused[0]?.reason).to.match(/^id has 100\d+ bytes; the limit is 500$/);
    });
  });
}

/** What the server has sent on all connections. */
function bytesRead({ client }: Knex): number {
  const connections: readonly { readonly resource: Connection }[] = [
    ...client.pool.used,
    ...client.pool.free,
  ];
  return connections.reduce((sum, { resource }) => sum + resource.connection.stream.bytesRead, 0);
}

interface Connection {
  readonly connection: { readonly stream: { readonly bytesRead: number } };
}
