import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import * as mocha from 'mocha';
import { PostgresApiKeyDirectory } from '../../src/adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresGenerations } from '../../src/adapters/postgres/read/postgres-generations.js';
import { PostgresTagReader } from '../../src/adapters/postgres/read/postgres-tag-reader.js';
import { PostgresJobQueue } from '../../src/adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { unshownRows } from '../../src/adapters/postgres/write/sync-state.js';
import { unshownRow } from '../../src/application/sync/unshown-row.js';
import { MemoryApiKeyDirectory } from '../../src/contracts/fakes/memory-api-key-directory.js';
import { MemoryBlogReader } from '../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryCategoryReader } from '../../src/contracts/fakes/memory-category-reader.js';
import { MemoryGenerations } from '../../src/contracts/fakes/memory-generations.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemoryTagReader } from '../../src/contracts/fakes/memory-tag-reader.js';
import { readModelWriterContract } from '../../src/contracts/read-model/read-model-writer.contract.js';
import type { ReadModelWriterSubject } from '../../src/contracts/read-model/read-model-writer.subject.js';
import { currentGeneration } from '../../src/contracts/support/current-generation.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { KindFails, RowRefused } from '../../src/domain/errors.js';
import type {
  ReadModelSlice,
  ReadModelUpdate,
  RowKind,
  RowTypes,
  TagRow,
} from '../../src/domain/model/read-model.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';

readModelWriterContract(
  mocha,
  MemoryReadModel,
  async () => {
    const subject = new MemoryReadModel(new SettableClock());
    return {
      subject,
      leadership: new MemoryLeadership(subject.lead, 10_000),
      apiKeys: new MemoryApiKeyDirectory(subject),
      blogs: new MemoryBlogReader(subject),
      categories: new MemoryCategoryReader(subject),
      tags: new MemoryTagReader(subject),
      generations: new MemoryGenerations(subject),
      jobs: subject.jobs,
      reasonNotToShow: async (kind, id) => subject.reasonNotToShow(kind, id),
    };
  },
  { lacks: ['unstorable'] },
);

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();
  const makeSubject = async (): Promise<ReadModelWriterSubject> => ({
    subject: new PostgresReadModelWriter(readTables()),
    leadership: new PostgresLeadership(readTables(), 'test', 10_000),
    apiKeys: new PostgresApiKeyDirectory(readTables()),
    blogs: new PostgresBlogReader(readTables()),
    categories: new PostgresCategoryReader(readTables()),
    tags: new PostgresTagReader(readTables()),
    generations: new PostgresGenerations(readTables()),
    jobs: new PostgresJobQueue(readTables()),
    reasonNotToShow: async (kind, id) =>
      (await unshownRows(readTables())).find((row) => row.kind === kind && row.id === id)?.reason ?? null,
    unstorable: sliceOf('categories', aCategory({ id: freshId('category'), sortOrder: 2 ** 31 })),
  });

  readModelWriterContract(mocha, PostgresReadModelWriter, makeSubject);

  describe('PostgresReadModelWriter', () => {
    let given: ReadModelWriterSubject;
    let epoch: number;
    let organizationId: string;
    let kept: TagRow;

    beforeEach(async () => {
      given = await makeSubject();
      epoch = (await given.leadership.claim(null)) ?? 0;
      organizationId = freshId('org');
      kept = aTag({ id: freshId('tag'), organizationId });
      await given.subject.write(epoch, { slices: [sliceOf('tags', kept)], jobs: [] });
    });

    const fresh = () => ({ id: freshId('row'), organizationId });
    const failureOf = (update: Partial<ReadModelUpdate>) =>
      given.subject.write(epoch, { slices: [], jobs: [], ...update }).catch((error: unknown) => error);
    const state = async () => ({
      tags: await given.tags.list(organizationId, null),
      generation: await currentGeneration(given.generations, organizationId),
      jobs: await given.jobs.next(['tags']),
      reason: await given.reasonNotToShow('tags', kept.id),
    });

    for (const [what, slice] of [
      ['a text with a NUL', () => sliceOf('tags', aTag({ ...fresh(), name: 'a\0b' }))],
      ['an id with a NUL', () => sliceOf('tags', aTag({ ...fresh(), id: 'a\0b' }))],
      ['half a surrogate pair', () => sliceOf('blogs', aBlog({ ...fresh(), title: 'half \ud83d' }))],
      ['a slug that no index can hold', () => sliceOf('blogs', aBlog({ ...fresh(), slug: INCOMPRESSIBLE }))],
    ] as const) {
      it(`refuses a row that has ${what}, and then changes nothing`, async () => {
        const before = await state();
        const slices = [
          {
            kind: 'tags',
            ids: [kept.id],
            rows: [],
            unshown: [unshownRow({ id: kept.id, reason: 'none' })],
          } as const,
          sliceOf('tags', aTag(fresh())),
          slice(),
        ];
        const jobs = [{ kind: 'add', scope: { kind: 'tags', keys: [freshId('tag')] } }] as const;
        const failure = await failureOf({ slices, jobs, raisesAll: true });
        expect(failure).to.be.instanceOf(RowRefused);
        // For operators: short, and without the statement and its rows.
        expect(failure).to.have.property('message').with.length.within(10, 200);
        expect(await state()).to.deep.equal(before);
      });
    }

    it('changes no row if the jobs of the same write cannot be stored', async () => {
      const before = await state();
      const progress = { stage: 0, after: 'a\0b', done: 0, total: null };
      const id = (await given.jobs.next(['everything']))?.id ?? 0;
      const slices = [sliceOf('tags', aTag(fresh()))];
      const failure = await failureOf({ slices, jobs: [{ kind: 'advance', id, progress }] });
      expect(failure).to.be.instanceOf(Error);
      expect(failure).not.to.be.instanceOf(RowRefused);
      expect(await state()).to.deep.equal(before);
    });

    it('hides a website that moved and has nothing but tags, or nothing but categories', async () => {
      const category = aCategory({ ...fresh(), websiteId: freshId('web') });
      await given.subject.write(epoch, { slices: [sliceOf('categories', category)], jobs: [] });
      const organization = freshId('another');
      const owners = [kept, category].map(({ websiteId }) => ({ websiteId, organizationId: organization }));
      await given.subject.write(epoch, { slices: [], owners, jobs: [] });
      expect(await given.tags.list(organizationId, null)).to.eql([]);
      expect(await given.categories.list(organizationId, null)).to.eql([]);
    });

    it('notes an unshown row even if the table of its kind cannot be written', async () => {
      await readTables().raw('alter table content_read.tags rename to renamed');
      const unshown = [unshownRow({ id: kept.id, reason: 'for a reason' })];
      const failure = await failureOf({ slices: [{ kind: 'tags', ids: [], rows: [], unshown }] });
      await readTables().raw('alter table content_read.renamed rename to tags');
      expect(failure).to.deep.equal({ changedRows: 0, raised: [] });
      expect(await given.reasonNotToShow('tags', kept.id)).to.equal('for a reason');
    });

    it('writes while all tables are published for logical replication', async () => {
      const unshown = [unshownRow({ id: kept.id, reason: 'for a reason' })];
      await readTables().raw('create publication everything for all tables');
      const noted = await failureOf({ slices: [{ kind: 'tags', ids: [kept.id], rows: [], unshown }] });
      const forgotten = await failureOf({ slices: [sliceOf('tags', kept)] });
      await readTables().raw('drop publication everything');
      expect(noted).to.have.property('changedRows', 1);
      expect(forgotten).to.have.property('changedRows', 1);
      expect(await given.reasonNotToShow('tags', kept.id)).to.equal(null);
    });

    for (const [trouble, code] of [
      ['a full disk', '53100'],
      ['a shutdown', '57P01'],
      ['a lock that is not granted', '55P03'],
      ['a missing right', '42501'],
    ] as const) {
      it(`does not treat ${trouble} as a fault of a row`, async () => {
        const before = await state();
        await readTables().raw(`
          create function trouble() returns trigger language plpgsql as
            $$ begin raise exception 'trouble' using errcode = '${code}'; end $$;
          create trigger trouble before insert on content_read.tags execute function trouble()`);
        const failure = await failureOf({ slices: [sliceOf('tags', aTag(fresh()))] });
        await readTables().raw('drop function trouble() cascade');
        expect(failure).to.be.instanceOf(Error).with.property('message').that.includes('trouble');
        expect(failure).not.to.be.instanceOf(RowRefused);
        expect(failure instanceof KindFails).to.equal(code === '42501');
        expect(await state()).to.deep.equal(before);
      });
    }
  });
});

const INCOMPRESSIBLE = randomBytes(8_000).toString('base64');

function sliceOf<Kind extends RowKind>(kind: Kind, row: RowTypes[Kind]): ReadModelSlice {
  return { kind, ids: [row.id], rows: [row], unshown: [] } as unknown as ReadModelSlice;
}
