import { expect } from 'chai';
import type { RaisedGeneration } from '../../domain/model/read-model.js';
import type { Generations } from '../../domain/ports/reading/generations.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';

export interface GenerationsSubject {
  readonly subject: Generations;
  /** Changes something of this organization as a program does, so that the subject learns of it. */
  change(organizationId: string): Promise<void>;
  /** Removes everything that this organization has. */
  clear(organizationId: string): Promise<void>;
}

const ALL = 100_000;

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

    const freshIds = (count: number) => Array.from({ length: count }, () => freshId('org'));
    const current = (id = organizationId) => currentGeneration(generations, id);
    const newest = async () => (await generations.read({ above: 0, limit: 0, organizationIds: [] })).newest;
    const raisedAbove = async (above: number, limit = ALL) =>
      (await generations.read({ above, limit, organizationIds: [] })).raised;

    async function changeEach(ids: readonly string[]): Promise<RaisedGeneration[]> {
      const raised: RaisedGeneration[] = [];
      for (const id of ids) {
        await change(id);
        raised.push({ organizationId: id, generation: await current(id) });
      }
      return raised;
    }

    itIsTestedItself(runner, Adapter, () => generations);

    it('returns nothing for an organization that never had anything', async () => {
      await change(freshId('org'));
      const unknownIds = [organizationId, '%', '__proto__', 'constructor', ...TROUBLESOME_TEXTS];
      const reading = await generations.read({ above: 0, limit: 0, organizationIds: unknownIds });
      expect([...reading.current]).to.deep.equal([]);
    });

    it('returns a higher number after every change, which JavaScript represents exactly', async () => {
      let last = 0;
      for (let changes = 0; changes < 20; changes++) {
        await change(organizationId);
        const generation = await current();
        expect(generation).to.be.greaterThan(last).and.satisfy(Number.isSafeInteger);
        last = generation;
      }
    });

    it('returns the same number to all callers as long as nothing changes', async () => {
      await change(organizationId);
      const answers = await Promise.all(Array.from({ length: 10 }, () => current()));
      expect(new Set(answers)).to.deep.equal(new Set([await current()]));
    });

    it('leaves the number of an organization alone when another one changes', async () => {
      const other = freshId('org');
      await change(organizationId);
      const before = await current();
      await change(other);
      await change(other);
      await clear(other);
      expect(await current()).to.equal(before);
    });

    it('distinguishes organizations with similar ids', async () => {
      const lookalikes = [organizationId.toUpperCase(), `${organizationId} `, organizationId.slice(0, -1)];
      await change(organizationId);
      for (const lookalike of lookalikes) expect(await current(lookalike), lookalike).to.equal(0);
    });

    it('never returns to an old number, even if an organization loses everything and starts again', async () => {
      const seen: number[] = [];
      for (let lives = 0; lives < 3; lives++) {
        await change(organizationId);
        seen.push(await current());
        await clear(organizationId);
        seen.push(await current());
      }
      expect(new Set(seen)).to.have.property('size', seen.length);
      expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
    });

    it('returns many organizations at once, with their exact ids', async () => {
      const ids = [...freshIds(20), ...TROUBLESOME_TEXTS.map((text) => freshId('org') + text)];
      const raised = await changeEach(ids);
      const reading = await generations.read({
        above: 0,
        limit: 0,
        organizationIds: [...ids, freshId('org')],
      });
      const asked = raised.map((raise) => [raise.organizationId, raise.generation]);
      expect([...reading.current]).to.have.deep.members(asked);
    });

    it('shows the highest generation of all organizations, above which nothing is raised', async () => {
      for (const { generation } of await changeEach(freshIds(3)))
        expect(await newest()).to.be.at.least(generation);
      await change(organizationId);
      expect(await newest()).to.equal(await current());
      expect(await raisedAbove(await newest())).to.deep.equal([]);
    });

    it('returns each organization above a generation once, with its latest one', async () => {
      await change(organizationId);
      const start = await newest();
      const [one, other] = freshIds(2) as [string, string];
      await changeEach([one, other, one, one]);
      const raised = await changeEach([other, one]);
      expect(await raisedAbove(start)).to.have.deep.members(raised);
    });

    it('leaves out organizations with exactly this generation', async () => {
      const raised = await changeEach(freshIds(3));
      for (const [index, { generation }] of raised.entries()) {
        expect(await raisedAbove(generation)).to.have.deep.members(raised.slice(index + 1));
        expect(await raisedAbove(generation - 1)).to.have.deep.members(raised.slice(index));
      }
    });

    it('returns as many as the limit if there are more', async () => {
      await change(organizationId);
      const start = await newest();
      const raised = await changeEach(freshIds(4));
      for (const limit of [0, 1, 3, 4, 5])
        expect(await raisedAbove(start, limit), `limit ${limit}`).to.have.length(
          Math.min(limit, raised.length),
        );
    });

    it('returns what was raised besides what is asked for, from one server', async () => {
      const [asked, unasked] = (await changeEach(freshIds(2))) as [RaisedGeneration, RaisedGeneration];
      const organizationIds = [asked.organizationId];
      const reading = await generations.read({ above: asked.generation, limit: ALL, organizationIds });
      expect([...reading.current.keys()]).to.deep.equal(organizationIds);
      expect(reading.raised).to.deep.equal([unasked]);
      const { server } = await generations.read({ above: 0, limit: 0, organizationIds: [] });
      expect(reading.server).to.equal(server).and.not.to.equal('');
    });
  });
}
