import { expect } from 'chai';
import type { ReadModelSlice, RowKind, UnshownRow } from '../../domain/model/read-model.js';
import type { Runner } from '../runner.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { anUnshownRow, aTag } from '../support/rows.js';
import { MAKERS } from './read-model-writer.keys.js';
import { claimOf, tags } from './read-model-writer.lead.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];
const LATER = 3_600_000;
const MANY = 1_000_000;

/** The part of the read model writer's contract about rows that cannot be shown. */
export function itNotesUnshownRows(runner: Runner, makeSubject: () => Promise<ReadModelWriterSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('given rows that cannot be shown,', () => {
    let given: ReadModelWriterSubject;
    let epoch: number;
    let organizationId: string;

    beforeEach(async () => {
      given = await makeSubject();
      epoch = await claimOf(given);
      organizationId = freshId('org');
    });

    const write = (slice: ReadModelSlice) => given.subject.write(epoch, { slices: [slice], jobs: [] });
    const newTag = () => aTag({ id: freshId('tag'), organizationId });
    const generation = () => currentGeneration(given.generations, organizationId);
    const tagIds = async () => (await given.tags.list(organizationId, null)).map(({ id }) => id);
    const because = (id: string) => anUnshownRow(id, `reason of ${id}`);

    for (const kind of KINDS) {
      it(`notes unshown rows of ${kind} until they are written or deleted`, async () => {
        const row = MAKERS[kind]({ id: freshId('row'), organizationId });
        const slice = (rows: readonly unknown[], unshown: readonly UnshownRow[]) =>
          ({ kind, ids: [row.id], rows, unshown }) as ReadModelSlice;
        const reason = () => given.reasonNotToShow(kind, row.id);
        const refuse = (why: string) => write(slice([], [anUnshownRow(row.id, why)]));
        expect(await reason()).to.equal(null);
        expect(await refuse('too "long"')).to.deep.equal({ changedRows: 0, raised: [] });
        expect(await reason()).to.equal('too "long"');
        expect(await refuse("too 'large' \\ ?")).to.deep.equal({ changedRows: 0, raised: [] });
        expect(await reason()).to.equal("too 'large' \\ ?");
        expect(await write(slice([row], []))).to.have.property('changedRows', 1);
        expect(await reason()).to.equal(null);
        const before = await generation();
        expect(await refuse('not any more')).to.have.property('changedRows', 1);
        expect(await generation()).to.be.greaterThan(before);
        expect(await write(slice([], []))).to.deep.equal({ changedRows: 0, raised: [] });
        expect(await reason()).to.equal(null);
      });
    }

    it('notes only those: other rows are shown, earlier ones remain', async () => {
      const [tag, refused, earlier] = [newTag(), newTag(), newTag()];
      await write(tags([refused], [because(earlier.id)]));
      await write(tags([tag], [because(refused.id)]));
      expect(await tagIds()).to.deep.equal([tag.id]);
      expect(await given.reasonNotToShow('tags', tag.id)).to.equal(null);
      for (const { id } of [refused, earlier]) {
        expect(await given.reasonNotToShow('tags', id)).to.equal(`reason of ${id}`);
        expect(await given.reasonNotToShow('blogs', id)).to.equal(null);
      }
      // The same id of another kind is a different row.
      await write({ kind: 'blogs', ids: [refused.id], rows: [], unshown: [] });
      expect(await given.reasonNotToShow('tags', refused.id)).to.equal(`reason of ${refused.id}`);
      const asked = [tag, refused, earlier].map(({ id }) => id);
      expect(await given.subject.unshown('tags', asked)).to.have.members([refused.id, earlier.id]);
      expect(await given.subject.unshown('blogs', asked)).to.deep.equal([]);
      expect(await given.subject.unshown('tags', [])).to.deep.equal([]);
    });

    it('leaves a row as it is that is not among the ids', async () => {
      const tag = newTag();
      await write(tags([tag]));
      const slice: ReadModelSlice = { kind: 'tags', ids: [], rows: [], unshown: [because(tag.id)] };
      expect(await write(slice)).to.deep.equal({ changedRows: 0, raised: [] });
      expect(await tagIds()).to.deep.equal([tag.id]);
      expect(await given.reasonNotToShow('tags', tag.id)).to.equal(`reason of ${tag.id}`);
    });

    it('keeps ids that are longer than those of rows that are shown', async () => {
      const id = freshId('x'.repeat(2_600));
      await write(tags([], [because(id)]));
      expect(await given.subject.unshown('tags', [id])).to.deep.equal([id]);
      await write(tags([], [], [id]));
      expect(await given.subject.unshown('tags', [id])).to.deep.equal([]);
    });

    it('finds another row that is shown', async () => {
      const [one, other, unshown] = [newTag(), newTag(), newTag()];
      await write(tags([one, other]));
      await write({ kind: 'tags', ids: [], rows: [], unshown: [because(unshown.id)] });
      const another = await given.subject.anotherRow('tags', one.id);
      expect(another).to.be.a('string').and.not.to.be.oneOf([one.id, unshown.id]);
      const [only] = await given.subject.keys('apiKeys', { kind: 'everything' }, null, 1);
      if (only === undefined) expect(await given.subject.anotherRow('apiKeys', 'k')).to.equal(null);
    });

    it('counts those of a kind', async () => {
      const rows = [1, 2, 3].map(() => because(freshId('tag')));
      const count = () =>
        Promise.all([given.subject.countUnshown('tags'), given.subject.countUnshown('blogs')]);
      const [before, ofBlogs] = await count();
      await write(tags([], rows));
      expect(await count()).to.eql([before + 3, ofBlogs]);
      await write(tags([], [], [rows[0]?.id ?? '']));
      expect(await count()).to.eql([before + 2, ofBlogs]);
    });

    it('returns those whose wait is over, with the number of failed attempts', async () => {
      const [due, waiting] = [freshId('due'), freshId('waiting')];
      const unshown = [
        { ...because(due), attempts: 3, retryAfterMs: 0 },
        { ...because(waiting), attempts: 2, retryAfterMs: LATER },
      ];
      await write(tags([], unshown));
      const dueRows = async () =>
        (await given.subject.dueRows(MANY)).filter(({ id }) => id === due || id === waiting);
      expect(await dueRows()).to.deep.equal([{ kind: 'tags', id: due, attempts: 3 }]);
      expect(await given.subject.dueRows(1)).to.have.length(1);
      await write(tags([], [{ ...because(due), attempts: 4, retryAfterMs: LATER }]));
      expect(await dueRows()).to.deep.equal([]);
      await given.jobs.retryWaiting();
      expect(await dueRows()).to.have.deep.members([
        { kind: 'tags', id: due, attempts: 4 },
        { kind: 'tags', id: waiting, attempts: 2 },
      ]);
    });
  });
}
