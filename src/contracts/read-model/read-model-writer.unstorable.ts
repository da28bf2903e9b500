import { expect } from 'chai';
import { RowRefused } from '../../domain/errors.js';
import type { ReadModelSlice } from '../../domain/model/read-model.js';
import type { Runner } from '../runner.js';
import { capabilityOf, itNeeding, type Lacking } from '../support/capabilities.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { anUnshownRow, aTag } from '../support/rows.js';
import { claimOf, tags } from './read-model-writer.lead.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

/** The part of the read model writer's contract about rows that the storage cannot hold. */
export function itRefusesWhatItCannotStore(
  { describe, it, beforeEach }: Runner,
  makeSubject: () => Promise<ReadModelWriterSubject>,
  lacking: Lacking<'unstorable'>,
): void {
  describe('given a row that the storage cannot hold,', () => {
    let given: ReadModelWriterSubject;
    let unstorable: ReadModelSlice;
    let epoch: number;
    let organizationId: string;

    const test = itNeeding(it, 'unstorable', lacking);

    beforeEach(async () => {
      given = await makeSubject();
      unstorable = capabilityOf(given, 'unstorable', lacking) ?? tags([]);
      epoch = await claimOf(given);
      organizationId = freshId('org');
    });

    const newTag = () => aTag({ id: freshId('tag'), organizationId });
    const write = (slices: readonly ReadModelSlice[]) => given.subject.write(epoch, { slices, jobs: [] });
    const state = async () => ({
      tags: await given.tags.list(organizationId, null),
      generation: await currentGeneration(given.generations, organizationId),
    });

    test('refuses it, whatever it comes with, and changes nothing then', async () => {
      const [tag, coming] = [newTag(), newTag()];
      await write([tags([tag])]);
      const before = await state();
      const slices = [tags([coming], [], [tag.id]), unstorable];
      const failure = await write(slices).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(RowRefused);
      // Operators read the message: it must not contain a statement with all its rows.
      expect(failure).to.have.property('message').with.length.within(10, 200);
      expect(await state()).to.deep.equal(before);
    });

    test('goes on with the others, and can set it aside', async () => {
      await write([unstorable]).catch(() => {});
      const unshown = unstorable.rows.map(({ id }) => anUnshownRow(id, 'cannot be stored'));
      const coming = newTag();
      await write([tags([coming]), { ...unstorable, rows: [], unshown } as ReadModelSlice]);
      expect((await state()).tags.map(({ id }) => id)).to.deep.equal([coming.id]);
      const [row] = unstorable.rows;
      expect(await given.reasonNotToShow(unstorable.kind, row?.id ?? '')).to.equal('cannot be stored');
    });
  });
}
