import { expect } from 'chai';
import type { Generations } from '../../domain/ports/reading/generations.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';

export interface GenerationsSubject {
  readonly subject: Generations;
  /** Changes something of this organization as a program does, so that the subject learns of it. */
  change(organizationId: string): Promise<void>;
  /** Removes everything that this organization has. */
  clear(organizationId: string): Promise<void>;
}

export function generationsContract(
  runner: Runner,
  Adapter: AdapterClass<Generations>,
  makeSubject: () => Promise<GenerationsSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, which keeps generations,`, () => {
    let generations: Generations;
    let change: GenerationsSubject['change'];
    let clear: GenerationsSubject['clear'];
    let organizationId: string;

    beforeEach(async () => {
      ({ subject: generations, change, clear } = await makeSubject());
      organizationId = freshId('org');
    });

    itIsTestedItself(runner, Adapter, () => generations);

    it('returns 0 for an organization that never had anything', async () => {
      await change(freshId('org'));
      for (const unknownId of [organizationId, '%', '__proto__', 'constructor', ...TROUBLESOME_TEXTS]) {
        expect(await generations.current(unknownId), unknownId).to.equal(0);
      }
    });

    it('returns a higher number after every change, which JavaScript represents exactly', async () => {
      let last = 0;
      for (let changes = 0; changes < 20; changes++) {
        await change(organizationId);
        const current = await generations.current(organizationId);
        expect(current).to.be.greaterThan(last).and.satisfy(Number.isSafeInteger);
        last = current;
      }
    });

    it('returns the same number to all callers as long as nothing changes', async () => {
      await change(organizationId);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => generations.current(organizationId)),
      );
      expect(new Set(answers)).to.deep.equal(new Set([await generations.current(organizationId)]));
    });

    it('leaves the number of an organization alone when another one changes', async () => {
      const other = freshId('org');
      await change(organizationId);
      const before = await generations.current(organizationId);
      await change(other);
      await change(other);
      await clear(other);
      expect(await generations.current(organizationId)).to.equal(before);
    });

    it('distinguishes organizations with similar ids', async () => {
      const lookalikes = [organizationId.toUpperCase(), `${organizationId} `, organizationId.slice(0, -1)];
      await change(organizationId);
      for (const lookalike of lookalikes) expect(await generations.current(lookalike), lookalike).to.equal(0);
    });

    it('never returns to an old number, even if an organization loses everything and starts again', async () => {
      const seen: number[] = [];
      for (let lives = 0; lives < 3; lives++) {
        await change(organizationId);
        seen.push(await generations.current(organizationId));
        await clear(organizationId);
        seen.push(await generations.current(organizationId));
      }
      expect(new Set(seen)).to.have.property('size', seen.length);
      expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
    });
  });
}
