import { expect } from 'chai';
import { LeadershipLost } from '../../domain/errors.js';
import type { ReadModelSlice, ReadModelUpdate, RowKind, UnshownRow } from '../../domain/model/read-model.js';
import type { Runner } from '../runner.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { aBlog, aCategory, aKey, anUnshownRow, aTag } from '../support/rows.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

const NOTHING: ReadModelUpdate = { slices: [], jobs: [] };

/** The part of the read model writer's contract about what one transaction of the leader covers. */
export function itWritesOnlyForTheLeader(
  runner: Runner,
  makeSubject: () => Promise<ReadModelWriterSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe('in one transaction of the leader,', () => {
    let given: ReadModelWriterSubject;
    let epoch: number;
    let organizationId: string;

    beforeEach(async () => {
      given = await makeSubject();
      epoch = await claimOf(given);
      organizationId = freshId('org');
    });

    const write = (update: Partial<ReadModelUpdate>) => given.subject.write(epoch, { ...NOTHING, ...update });
    const newTag = (owner = organizationId) => aTag({ id: freshId('tag'), organizationId: owner });
    const generationOf = (organization: string) => currentGeneration(given.generations, organization);
    const raisedNow = (organizations: readonly string[]) =>
      Promise.all(
        organizations.map(async (id) => ({ organizationId: id, generation: await generationOf(id) })),
      );
    const tagIds = async (owner = organizationId) =>
      (await given.tags.list(owner, null)).map(({ id }) => id).toSorted();

    /** Everything that a write could have changed. */
    const stateOf = async (kind: RowKind, id: string) => ({
      tags: await given.tags.list(organizationId, null),
      generation: await generationOf(organizationId),
      reason: await given.reasonNotToShow(kind, id),
      jobs: await given.jobs.next(['websites', 'everything']),
    });

    it('writes no row, generation or job under an epoch that is over or never began', async () => {
      const [tag, coming, refused] = [newTag(), newTag(), newTag()];
      await write({ slices: [tags([tag])] });
      const before = await stateOf('tags', refused.id);
      const past = epoch;
      epoch = await claimOf(given);
      const job = { kind: 'add', scope: { kind: 'websites', keys: [freshId('web')] } } as const;
      const slices = [tags([coming], [anUnshownRow(refused.id, 'for a reason')], [tag.id])];
      for (const wrong of [past, 0, -1, epoch + 1]) {
        const failure = await given.subject
          .write(wrong, { slices, jobs: [job], raisesAll: true })
          .catch((error: unknown) => error);
        expect(failure, `epoch ${wrong}`).to.be.instanceOf(LeadershipLost);
        expect(await stateOf('tags', refused.id)).to.deep.equal(before);
      }
      await write({ slices });
      expect(await tagIds()).to.deep.equal([coming.id]);
    });

    it('refuses an epoch that is over even if there is nothing to write', async () => {
      const past = epoch;
      epoch = await claimOf(given);
      const failure = await given.subject.write(past, NOTHING).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(LeadershipLost);
      expect(await write({})).to.deep.equal({ changedRows: 0, raised: [] });
    });

    it('writes slices of all kinds, of many organizations, and raises each organization once', async () => {
      const owners = [organizationId, freshId('org')];
      const rows = owners.map((owner) => ({
        key: aKey({ id: freshId('key'), hash: freshId('hash'), organizationId: owner }),
        category: aCategory({ id: freshId('category'), organizationId: owner }),
        tag: newTag(owner),
        blog: aBlog({ id: freshId('blog'), organizationId: owner }),
      }));
      const sliceOf = (kind: RowKind, slice: readonly { id: string }[]) =>
        ({ kind, ids: idsOf(slice), rows: slice, unshown: [] }) as unknown as ReadModelSlice;
      const slices = [
        sliceOf(
          'apiKeys',
          rows.map(({ key }) => key),
        ),
        sliceOf(
          'categories',
          rows.map(({ category }) => category),
        ),
        sliceOf(
          'tags',
          rows.map(({ tag }) => tag),
        ),
        sliceOf(
          'blogs',
          rows.map(({ blog }) => blog),
        ),
      ];
      const { changedRows, raised } = await write({ slices });
      expect(changedRows).to.equal(8);
      expect(raised).to.have.length(2);
      expect(raised).to.have.deep.members(await raisedNow(owners));
      for (const { key, category, tag, blog } of rows) {
        expect((await given.apiKeys.find(key.hash, 0))?.key).to.deep.equal(key);
        const categories = await given.categories.list(key.organizationId, null);
        expect(categories.map(({ id }) => id)).to.deep.equal([category.id]);
        expect(await tagIds(key.organizationId)).to.deep.equal([tag.id]);
        expect(await given.blogs.findById(key.organizationId, blog.id)).to.have.property('id', blog.id);
      }
      expect(await write({ slices })).to.deep.equal({ changedRows: 0, raised: [] });
    });

    it('counts rows of two kinds with the same id as two', async () => {
      const id = freshId('both');
      const slices: readonly ReadModelSlice[] = [
        tags([aTag({ id, organizationId })]),
        { kind: 'categories', ids: [id], rows: [aCategory({ id, organizationId })], unshown: [] },
      ];
      const { changedRows, raised } = await write({ slices });
      expect(changedRows).to.equal(2);
      expect(raised).to.deep.equal(await raisedNow([organizationId]));
    });

    it('raises all organizations if it should, unchanged ones too, and each once', async () => {
      const [resting, changing, coming] = [
        newTag(freshId('org')),
        newTag(freshId('org')),
        newTag(freshId('org')),
      ];
      await write({ slices: [tags([resting, changing])] });
      const owners = [resting, changing, coming].map((tag) => tag.organizationId);
      const before = await Promise.all(owners.map(generationOf));
      const slices = [tags([{ ...changing, name: 'changed' }, coming])];
      const { changedRows, raised } = await write({ slices, raisesAll: true });
      expect(changedRows).to.equal(2);
      expect(raised).to.deep.include.members(await raisedNow(owners));
      expect(new Set(raised.map((raise) => raise.organizationId))).to.have.property('size', raised.length);
      for (const [index, owner] of owners.entries()) {
        expect(await generationOf(owner), owner).to.be.greaterThan(before[index] ?? 0);
      }
    });

    it('adds jobs together with its rows', async () => {
      const [tag, website] = [newTag(), freshId('web')];
      await write({
        slices: [tags([tag])],
        jobs: [{ kind: 'add', scope: { kind: 'websites', keys: [website] } }],
      });
      expect(await tagIds()).to.deep.equal([tag.id]);
      const job = (await given.jobs.unfinished(['websites'])).at(-1);
      expect(job?.scope).to.deep.equal({ kind: 'websites', keys: [website] });
      await write({ jobs: [{ kind: 'finish', id: job?.id ?? 0 }] });
    });
  });
}

export async function claimOf({ leadership }: ReadModelWriterSubject): Promise<number> {
  const epoch = await leadership.claim(null);
  if (epoch === null) throw new Error('Another writer leads');
  return epoch;
}

/** A slice of these tags, of unshown ones, and of deleted ones. */
export function tags(
  rows: readonly ReturnType<typeof aTag>[],
  unshown: readonly UnshownRow[] = [],
  deletedIds: readonly string[] = [],
): ReadModelSlice {
  return { kind: 'tags', ids: [...idsOf(rows), ...idsOf(unshown), ...deletedIds], rows, unshown };
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
