import { expect } from 'chai';
import fc from 'fast-check';
import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { PublishedGenerations } from '../../domain/ports/reading/published-generations.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { capabilityOf, itNeeding, type Lacking } from '../support/capabilities.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';

export interface PublishedGenerationsSubject {
  readonly subject: PublishedGenerations;
  /** As another process reads it, if processes share the list. */
  generationOf(organizationId: string): Promise<number | null>;
  /** Missing if the list can always be reached. */
  readonly unreachable?: PublishedGenerations;
}

// As large as real generations: microseconds since 1970.
const NOW = Date.UTC(2026, 0) * 1000 + 1;

export function publishedGenerationsContract(
  runner: Runner,
  Adapter: AdapterClass<PublishedGenerations>,
  makeSubject: () => Promise<PublishedGenerationsSubject>,
  lacking: Lacking<'unreachable'> = {},
): void {
  const { describe, it, beforeEach } = runner;
  const itWhenUnavailable = itNeeding(it, 'unreachable', lacking);
  describe(`${Adapter.name}, a list of published generations,`, () => {
    let published: PublishedGenerations;
    let shownGeneration: PublishedGenerationsSubject['generationOf'];
    let unreachable: PublishedGenerations | null;
    let organizationId: string;

    beforeEach(async () => {
      const made = await makeSubject();
      ({ subject: published, generationOf: shownGeneration } = made);
      unreachable = capabilityOf(made, 'unreachable', lacking);
      organizationId = freshId('org');
    });

    const publish = (generation: number, organization = organizationId) =>
      published.publish([{ organizationId: organization, generation }]);

    itIsTestedItself(runner, Adapter, () => published);

    it('shows what was published', async () => {
      await publish(NOW);
      expect(await shownGeneration(organizationId)).to.equal(NOW);
      expect(await published.published(organizationId)).to.equal(NOW);
    });

    it('shows nothing for an organization without a published generation', async () => {
      await publish(NOW, freshId('org'));
      await published.publish([]);
      expect(await shownGeneration(organizationId)).to.equal(0);
      expect(await published.published(organizationId)).to.equal(0);
    });

    itWhenUnavailable('does not throw while it is unreachable, and shows nothing', async () => {
      const [one, other] = [NOW, NOW + 1].map((generation) => ({
        organizationId: freshId('org'),
        generation,
      }));
      for (const raised of [[one], [one, other], [one]] as RaisedGeneration[][]) {
        await unreachable?.publish(raised);
        for (const { organizationId: id } of raised) expect(await unreachable?.published(id)).to.equal(null);
      }
    });

    it('shows a higher generation, and is not changed by a lower one', async () => {
      let highest = 0;
      for (const generation of [NOW, NOW - 1, NOW + 1, NOW, 0, NOW + 1, 1, NOW + 60_000_000, NOW + 2]) {
        await publish(generation);
        highest = Math.max(highest, generation);
        expect(await shownGeneration(organizationId), `after ${generation}`).to.equal(highest);
      }
    });

    it('distinguishes generations that differ by one, as far as numbers are exact', async () => {
      for (const generation of [
        1,
        9,
        10,
        NOW,
        NOW + 1,
        Number.MAX_SAFE_INTEGER - 1,
        Number.MAX_SAFE_INTEGER,
      ]) {
        await publish(generation);
        await publish(generation - 1);
        expect(await shownGeneration(organizationId)).to.equal(generation);
      }
    });

    it('accepts any number at once, each for its own organization', async () => {
      const raised = Array.from({ length: 500 }, (_, n) => ({
        organizationId: freshId('org'),
        generation: NOW + n,
      }));
      await published.publish(raised);
      const generations = await Promise.all(raised.map((raise) => shownGeneration(raise.organizationId)));
      expect(generations).to.deep.equal(raised.map(({ generation }) => generation));
    });

    it('shows the highest of concurrent generations, in any order and portions', async () => {
      const someGenerations = fc.array(fc.integer({ min: NOW, max: NOW + 20 }), {
        minLength: 1,
        maxLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(fc.array(someGenerations, { minLength: 1, maxLength: 8 }), async (portions) => {
          const organization = freshId('org');
          await Promise.all(
            portions.map((portion) =>
              published.publish(portion.map((generation) => ({ organizationId: organization, generation }))),
            ),
          );
          expect(await shownGeneration(organization)).to.equal(Math.max(...portions.flat()));
        }),
        { numRuns: 50 },
      );
    });

    it('distinguishes organizations whose ids are similar or look like syntax', async () => {
      const ends = ['', ' ', ':', '}', '{', '{}', '%', '%7D', ':generation', ...TROUBLESOME_TEXTS.slice(1)];
      const names = [...new Set(ends)].map((end) => organizationId + end);
      names.push(organizationId.toUpperCase());
      const raised = names.map((name, index) => ({ organizationId: name, generation: NOW + index }));
      await published.publish(raised.toReversed());
      for (const { organizationId: name, generation } of raised) {
        expect(await shownGeneration(name), name).to.equal(generation);
      }
    });
  });
}
