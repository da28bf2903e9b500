import { expect } from 'chai';
import * as mocha from 'mocha';
import { MappedContentSource } from '../../src/adapters/dashboard/source/mapped-content-source.js';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { contentSourceContract } from '../../src/contracts/dashboard/content-source.contract.js';
import { MemoryContentSource } from '../../src/contracts/fakes/memory-content-source.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aKey } from '../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import { putIntoDashboard, removeFromDashboard } from '../support/dashboards/dashboard-rows.js';
import { referenceSource } from '../support/dashboards/reference-mapping.js';
import { createDashboard } from '../support/postgres/migrated-databases.js';
import { sharedDatabase } from '../support/postgres/read-tables.js';
import { itLeavesAbsurdRowsUnread } from './content-source.absurd.js';

contentSourceContract(mocha, MemoryContentSource, async () => {
  const subject = new MemoryContentSource();
  return {
    subject,
    put: async (kind, row) => subject.put(kind, row),
    remove: async (kind, id) => subject.remove(kind, id),
  };
});

describe('On PostgreSQL,', () => {
  const database = sharedDatabase(async () => openDashboardDatabase(await createDashboard()));

  contentSourceContract(mocha, MappedContentSource, async () => ({
    subject: referenceSource(database()),
    put: (kind, row) => putIntoDashboard(database(), kind, row),
    remove: (kind, id) => removeFromDashboard(database(), kind, id),
  }));

  describe('MappedContentSource', () => {
    const newOwner = () => ({ organizationId: freshId('org'), websiteId: freshId('web') });
    const readBlog = async (id: string) => (await referenceSource(database()).read('blogs', [id])).rows[0];

    for (const [stored, read] of [
      ['2024-05-06 07:08:09.123999+00', '2024-05-06T07:08:09.123Z'],
      ['2024-05-06 07:08:09.000001+00', '2024-05-06T07:08:09.000Z'],
      ['2024-05-06 07:08:09.999999+00', '2024-05-06T07:08:09.999Z'],
      ['2024-05-06 07:08:09.1+05:30', '2024-05-06T01:38:09.100Z'],
      ['1969-12-31 23:59:59.123999+00', '1969-12-31T23:59:59.123Z'],
    ] as const) {
      it(`reads ${stored} to the millisecond, and truncates finer digits`, async () => {
        const blog = aSourceBlog({ id: freshId('blog'), ...newOwner() });
        await putIntoDashboard(database(), 'blogs', blog);
        await database()('blogs').where({ id: blog.id }).update({ published_at: stored });
        expect((await readBlog(blog.id))?.publishedAt).to.equal(Date.parse(read));
      });
    }

    it('truncates the times of keys, too', async () => {
      const key = aKey({ id: freshId('key'), organizationId: freshId('org'), hash: freshId('hash') });
      await putIntoDashboard(database(), 'apiKeys', key);
      const time = '2024-05-06 07:08:09.123999+00';
      await database()('api_keys').where({ id: key.id }).update({ expires_at: time, revoked_at: time });
      const expected = Date.parse('2024-05-06T07:08:09.123Z');
      const { rows } = await referenceSource(database()).read('apiKeys', [key.id]);
      expect(rows[0]).to.deep.equal({ ...key, expiresAt: expected, revokedAt: expected });
    });

    it('reads a key that expires after the last date of JavaScript as one that never expires', async () => {
      const key = aKey({ id: freshId('key'), organizationId: freshId('org'), hash: freshId('hash') });
      await putIntoDashboard(database(), 'apiKeys', key);
      await database()('api_keys').where({ id: key.id }).update({ expires_at: '290000-01-01T00:00:00Z' });
      const { rows } = await referenceSource(database()).read('apiKeys', [key.id]);
      expect(rows[0]).to.deep.equal({ ...key, expiresAt: Number.POSITIVE_INFINITY });
    });

    it('reads rows under the new organization when their website moves to it', async () => {
      const owner = newOwner();
      const category = aSourceCategory({ id: freshId('category'), ...owner });
      const blog = aSourceBlog({ id: freshId('blog'), ...owner, categories: [category] });
      await putIntoDashboard(database(), 'categories', category);
      await putIntoDashboard(database(), 'blogs', blog);
      const organizationId = freshId('org');
      await database()('organizations').insert({ id: organizationId, name: 'New owner' });
      await database()('websites').where({ id: owner.websiteId }).update({ organization_id: organizationId });
      const read = await readBlog(blog.id);
      expect(read).to.include({ organizationId, websiteId: owner.websiteId });
      expect(read?.categories.map((term) => term.organizationId)).to.deep.equal([organizationId]);
    });

    describe('for more blogs than are held in memory at once,', () => {
      const MEGABYTE = 1024 * 1024;

      /** Inserts blogs with contents of these sizes, and returns their ids; null: a blog that does not exist. */
      async function idsOfBlogs(...megabytes: readonly (number | null)[]): Promise<string[]> {
        const owner = newOwner();
        const ids = megabytes.map(() => freshId('blog'));
        for (const [at, id] of ids.entries()) {
          const size = megabytes[at] ?? null;
          if (size === null) continue;
          await putIntoDashboard(database(), 'blogs', aSourceBlog({ id, ...owner }));
          const content = database().raw('repeat(?, ?)', ['x', size * MEGABYTE]);
          await database()('blogs').where({ id }).update({ content_html: content });
        }
        return ids;
      }

      for (const [sizes, read] of [
        [[4, 4, 0], 2],
        [[4, 3, 4, 0], 3],
        [[3, 3, 3, null], 3],
      ] as const) {
        const named = sizes.map((size) => (size === null ? 'none' : `${size} MiB`)).join(', ');
        it(`reads the first ones until they reach 8 MiB: ${read} of ${named}`, async () => {
          const ids = await idsOfBlogs(...sizes);
          const reading = await referenceSource(database()).read('blogs', ids);
          expect(reading.ids).to.deep.equal(ids.slice(0, read));
          const there = reading.ids.filter((_, at) => sizes[at] !== null);
          expect(reading.rows.map(({ id }) => id)).to.have.members(there);
        });
      }

      it('returns all of them in a few reads', async () => {
        const ids = await idsOfBlogs(0, 4, 4, null, 3, 3, 4, null);
        const readings: (readonly string[])[] = [];
        for (let rest = ids; rest.length > 0; rest = rest.slice(readings.at(-1)?.length)) {
          readings.push((await referenceSource(database()).read('blogs', rest)).ids);
          expect(readings.at(-1)).not.to.deep.equal([]);
        }
        expect(readings.flat()).to.deep.equal(ids);
        expect(readings.map(({ length }) => length)).to.deep.equal([3, 4, 1]);
      });
    });

    itLeavesAbsurdRowsUnread(database);

    it('walks all keys if the database sorts text by the rules of a language', async () => {
      const organizationId = freshId('org');
      const ids = ['a', 'A', 'ä', 'b', 'B', '-b', 'z', 'Z', '\uff21'].map((end) => freshId(`${end}-key`));
      const walked: string[] = [];
      const transaction = await database().transaction();
      try {
        await transaction.raw('alter table api_keys alter column id type text collate "en-x-icu"');
        for (const id of ids) {
          await putIntoDashboard(transaction, 'apiKeys', aKey({ id, organizationId, hash: freshId('hash') }));
        }
        const source = referenceSource(transaction);
        for (let step = ['']; step.length > 0; walked.push(...step)) {
          step = [...(await source.keys('apiKeys', { kind: 'everything' }, walked.at(-1) ?? null, 2))];
        }
      } finally {
        await transaction.rollback();
      }
      expect(walked).to.include.members(ids);
      expect(new Set(walked)).to.have.property('size', walked.length);
    });
  });
});
