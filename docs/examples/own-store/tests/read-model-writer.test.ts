import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { aBlog, aTag } from 'blog-content-read-api/contracts';
import type { AnySlice, RowKind, RowTypes } from 'blog-content-read-api/ports';
import { RowRefused } from 'blog-content-read-api/ports';
import { Database } from '../src/adapters/mariadb/database.js';
import { MariadbBlogReader } from '../src/adapters/mariadb/mariadb-blog-reader.js';
import { MariadbGenerations } from '../src/adapters/mariadb/mariadb-generations.js';
import { MariadbJobQueue } from '../src/adapters/mariadb/mariadb-job-queue.js';
import { MariadbLeadership } from '../src/adapters/mariadb/mariadb-leadership.js';
import { MariadbReadModelWriter } from '../src/adapters/mariadb/mariadb-read-model-writer.js';
import { MariadbTagReader } from '../src/adapters/mariadb/mariadb-tag-reader.js';
import { TestDatabase } from './support/test-database.js';

const MEBIBYTE = 1024 * 1024;

describe('MariadbReadModelWriter', () => {
  let test: TestDatabase;
  let database: Database;
  let writer: MariadbReadModelWriter;
  let epoch = 0;
  let organizationId = '';

  before(async () => {
    test = await TestDatabase.create();
    database = Database.forWorker(test.url);
    writer = new MariadbReadModelWriter(database);
    epoch = (await new MariadbLeadership(database, 10_000).claim()) ?? 0;
  });

  after(async () => {
    await database.close();
    await test.drop();
  });

  beforeEach(async () => {
    organizationId = randomUUID();
    await write(sliceOf('tags', aTag({ id: organizationId, organizationId })));
  });

  const fresh = () => ({ id: randomUUID(), organizationId });
  const write = (...slices: readonly AnySlice[]) => writer.write(epoch, { slices, jobs: [] });
  const state = async () => ({
    tags: await new MariadbTagReader(database).list(organizationId, null),
    generations: (
      await new MariadbGenerations(database).read({ above: 0, limit: 0, organizationIds: [organizationId] })
    ).current,
    jobs: await new MariadbJobQueue(database).next(['tags']),
  });

  for (const [what, slice] of [
    ['half a surrogate pair', () => sliceOf('blogs', aBlog({ ...fresh(), title: 'half \ud83d' }))],
    ['an id that is too long', () => sliceOf('tags', aTag({ ...fresh(), id: 'x'.repeat(501) }))],
    ['a slug that is too long', () => sliceOf('blogs', aBlog({ ...fresh(), slug: 'ü'.repeat(501) }))],
    [
      'a category with a slug that is too long',
      () =>
        sliceOf('blogs', aBlog({ ...fresh(), categories: [{ id: 'c', name: 'c', slug: 'x'.repeat(1001) }] })),
    ],
    [
      'more bytes than max_allowed_packet',
      () => sliceOf('blogs', aBlog({ ...fresh(), contentHtml: 'x'.repeat(16 * MEBIBYTE) })),
    ],
  ] as const) {
    it(`refuses a row with ${what}, and rolls everything back`, async () => {
      const before = await state();
      const update = {
        slices: [
          { kind: 'tags', ids: [organizationId], rows: [], unshown: [] },
          sliceOf('tags', aTag(fresh())),
          slice(),
        ],
        jobs: [{ kind: 'add', scope: { kind: 'tags', keys: [randomUUID()] } }],
      } as const;
      await assert.rejects(writer.write(epoch, update), (error) => {
        assert.ok(error instanceof RowRefused);
        // Operators should not have to read a statement with all its rows.
        assert.ok(error.message.length > 10 && error.message.length < 200, error.message);
        return true;
      });
      assert.deepEqual(await state(), before);
    });
  }

  for (const [what, character] of [
    ['quotes', '"'],
    ['characters of four bytes', '\u{1f600}'],
  ] as const) {
    it(`stores a content of 10 MiB of ${what}`, async () => {
      const contentHtml = character.repeat((10 * MEBIBYTE) / Buffer.byteLength(character));
      const blog = aBlog({ ...fresh(), contentHtml });
      await write(sliceOf('blogs', blog));
      const found = await new MariadbBlogReader(database).findById(organizationId, blog.id);
      assert.ok(found?.contentHtml === contentHtml);
    });
  }

  it('does not report a lock timeout as a refused row', async () => {
    const other = Database.forWorker(test.url);
    try {
      await other.transaction(async (session) => {
        await session.query('select * from organizations for update');
        await assert.rejects(
          write(sliceOf('tags', aTag(fresh()))),
          (error) => !(error instanceof RowRefused),
        );
      });
    } finally {
      await other.close();
    }
  });
});

function sliceOf<Kind extends RowKind>(kind: Kind, row: RowTypes[Kind]): AnySlice {
  return { kind, ids: [row.id], rows: [row], unshown: [] } as unknown as AnySlice;
}
