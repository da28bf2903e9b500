import { expect } from 'chai';
import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { GenerationHistory } from '../../domain/ports/reading/generation-history.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';

export interface GenerationHistorySubject {
  readonly subject: GenerationHistory;
  /** Changes something of this organization, and returns the generation that it reached. */
  change(organizationId: string): Promise<RaisedGeneration>;
  /** Raises these new organizations to one and the same generation, above all earlier ones. */
  changeTogether(organizationIds: readonly string[]): Promise<readonly RaisedGeneration[]>;
}

const ALL = 100_000;

export function generationHistoryContract(
  runner: Runner,
  Adapter: AdapterClass<GenerationHistory>,
  makeSubject: () => Promise<GenerationHistorySubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a history of generations,`, () => {
    let history: GenerationHistory;
    let change: GenerationHistorySubject['change'];
    let changeTogether: GenerationHistorySubject['changeTogether'];
    /** The generation at which the history of this test begins. */
    let start: number;

    beforeEach(async () => {
      ({ subject: history, change, changeTogether } = await makeSubject());
      start = (await change(freshId('org'))).generation;
    });

    async function changeEach(organizationIds: readonly string[]): Promise<RaisedGeneration[]> {
      const raised: RaisedGeneration[] = [];
      for (const id of organizationIds) raised.push(await change(id));
      return raised;
    }

    /** Walks the history as a poll does. */
    async function walk(step: number): Promise<RaisedGeneration[]> {
      const walked: RaisedGeneration[] = [];
      for (;;) {
        const raised = await history.above(walked.at(-1)?.generation ?? start, step);
        if (raised.length === 0) return walked;
        walked.push(...raised);
      }
    }

    const freshIds = (count: number) => Array.from({ length: count }, () => freshId('org'));

    itIsTestedItself(runner, Adapter, () => history);

    it('returns the organizations above a generation with their generations, lowest first', async () => {
      const raised = await changeEach(freshIds(5));
      expect(await history.above(start, ALL)).to.deep.equal(raised);
    });

    it('leaves out organizations with exactly this generation', async () => {
      const raised = await changeEach(freshIds(3));
      for (const [index, { generation }] of raised.entries()) {
        expect(await history.above(generation, ALL)).to.deep.equal(raised.slice(index + 1));
        expect(await history.above(generation - 1, ALL)).to.deep.equal(raised.slice(index));
      }
    });

    it('returns no more than the limit, the lowest first', async () => {
      const raised = await changeEach(freshIds(4));
      for (const limit of [1, 2, 3, 4, 5]) {
        expect(await history.above(start, limit)).to.deep.equal(raised.slice(0, limit));
      }
    });

    it('returns an organization once, with its latest generation', async () => {
      const [one, other] = freshIds(2) as [string, string];
      await changeEach([one, other, one, one]);
      const raised = await changeEach([other, one]);
      expect(await history.above(start, ALL)).to.deep.equal(raised);
    });

    it('shows the highest generation of all organizations, from which a poll begins', async () => {
      for (const id of [...freshIds(2), ...TROUBLESOME_TEXTS.map((text) => freshId('org') + text)]) {
        const { generation } = await change(id);
        expect(await history.newest()).to.equal(generation);
        expect(await history.above(await history.newest(), ALL)).to.deep.equal([]);
      }
    });

    it('includes what existed before it was created', async () => {
      const raised = await changeEach(freshIds(3));
      const all = await history.above(0, ALL);
      expect(all).to.deep.include.members(raised);
      expect(new Set(all.map(({ organizationId }) => organizationId))).to.have.property('size', all.length);
      const generations = all.map(({ generation }) => generation);
      expect(generations).to.deep.equal(generations.toSorted((a, b) => a - b));
      expect(generations).to.satisfy((numbers: number[]) => numbers.every(Number.isSafeInteger));
    });

    it('returns the exact ids of organizations', async () => {
      const raised = await changeEach(TROUBLESOME_TEXTS.map((text) => freshId('org') + text));
      expect(await history.above(start, ALL)).to.deep.equal(raised);
    });

    it('is walked from generation to generation in steps of any length, without gap or repetition', async () => {
      const raised = await changeEach(freshIds(7));
      for (const step of [1, 2, 3, 7, 8]) expect(await walk(step), `steps of ${step}`).to.deep.equal(raised);
    });

    it('returns all organizations that share a generation together, even if they exceed the limit', async () => {
      const [before] = await changeEach(freshIds(1));
      const tied = await changeTogether(freshIds(5));
      const [after] = await changeEach(freshIds(1));
      expect(new Set(tied.map(({ generation }) => generation))).to.have.property('size', 1);
      expect(await history.above(start, 1)).to.deep.equal([before]);
      for (const limit of [2, 5, 6]) {
        const [first, ...rest] = await history.above(start, limit);
        expect(first).to.deep.equal(before);
        expect(rest, `limit ${limit}`).to.have.deep.members(tied);
      }
      expect((await history.above(start, 7)).at(-1)).to.deep.equal(after);
      expect(await history.above(tied[0]?.generation ?? 0, 1)).to.deep.equal([after]);
    });

    it('is walked without gap or repetition also if many share generations', async () => {
      const raised = [
        ...(await changeTogether(freshIds(30))),
        ...(await changeEach(freshIds(3))),
        ...(await changeTogether(freshIds(30))),
      ];
      for (const step of [1, 7, 29, 30, 31, 63, 64]) {
        const walked = await walk(step);
        expect(walked, `steps of ${step}`).to.have.length(raised.length);
        expect(walked).to.have.deep.members(raised);
      }
    });
  });
}
