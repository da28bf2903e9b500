import { expect } from 'chai';
import type { AnySlice, RowKind } from '../../domain/model/read-model.js';
import { ANY_SNAPSHOT } from '../../domain/model/snapshot.js';
import type { RefusedRow } from '../../domain/model/source.js';
import type { Runner } from '../runner.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { aTag } from '../support/rows.js';
import { MAKERS } from './read-model-writer.keys.js';
import { claimOf, tags } from './read-model-writer.lead.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];

/** The part of the read model writer's contract about rows that cannot be shown. */
export function itQuarantinesRows(runner: Runner, makeSubject: () => Promise<ReadModelWriterSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('given refused rows,', () => {
    let given: ReadModelWriterSubject;
    let epoch: number;
    let organizationId: string;

    beforeEach(async () => {
      given = await makeSubject();
      epoch = await claimOf(given);
      organizationId = freshId('org');
    });

    const write = (slice: AnySlice) => given.subject.write(epoch, { slices: [slice], jobs: [] });
    const newTag = () => aTag({ id: freshId('tag'), organizationId });
    const generation = () => currentGeneration(given.generations, organizationId);
    const tagIds = async () =>
      (await given.tags.list(organizationId, null, ANY_SNAPSHOT)).map(({ id }) => id);

    for (const kind of KINDS) {
      it(`quarantines refused rows of ${kind} until they are written or deleted`, async () => {
        const row = MAKERS[kind]({ id: freshId('row'), organizationId });
        const slice = (rows: readonly unknown[], refused: readonly RefusedRow[]) =>
          ({ kind, ids: [row.id], rows, refused }) as AnySlice;
        const reason = () => given.reasonNotToShow(kind, row.id);
        const refuse = (why: string) => write(slice([], [{ id: row.id, reason: why }]));
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

    it('quarantines only the refused rows: other rows are shown, earlier refusals remain', async () => {
      const [tag, refused, earlier] = [newTag(), newTag(), newTag()];
      const why = (id: string) => ({ id, reason: `reason of ${id}` });
      await write(tags([refused], [why(earlier.id)]));
      await write(tags([tag], [why(refused.id)]));
      expect(await tagIds()).to.deep.equal([tag.id]);
      expect(await given.reasonNotToShow('tags', tag.id)).to.equal(null);
      for (const { id } of [refused, earlier]) {
        expect(await given.reasonNotToShow('tags', id)).to.equal(`reason of ${id}`);
        expect(await given.reasonNotToShow('blogs', id)).to.equal(null);
      }
      // The same id of another kind is a different row.
      await write({ kind: 'blogs', ids: [refused.id], rows: [], refused: [] });
      expect(await given.reasonNotToShow('tags', refused.id)).to.equal(`reason of ${refused.id}`);
    });
  });
}
