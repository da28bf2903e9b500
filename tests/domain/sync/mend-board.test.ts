import { expect } from 'chai';
import sinon from 'sinon';
import type { RaisedGeneration } from '../../../src/domain/model/raised-generation.js';
import type { GenerationHistory } from '../../../src/domain/ports/generation-history.js';
import { MendBoard } from '../../../src/domain/sync/mend-board.js';
import { Gate } from '../../support/gate.js';

const SECOND = 1_000_000;
const NOON = Date.UTC(2026, 0, 15, 12) * 1000;

/** The generations of the read tables, as the port promises them: those above, lowest first, so many and what ties with the last. */
class Tables implements GenerationHistory {
  readonly generations = new Map<string, number>();

  async above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    const raised = [...this.generations]
      .map(([organizationId, reached]) => ({ organizationId, generation: reached }))
      .filter((each) => each.generation > generation)
      .sort((a, b) => a.generation - b.generation);
    const last = raised[limit - 1]?.generation ?? Number.POSITIVE_INFINITY;
    return raised.filter((each) => each.generation <= last);
  }
}

describe('MendBoard', () => {
  let tables: Tables;
  let published: string[];
  let mend: MendBoard;

  const publish = async (raised: readonly RaisedGeneration[]) => {
    published.push(...raised.map(({ organizationId }) => organizationId));
    return true;
  };
  const publishedByRun = async () => {
    published = [];
    await mend.run();
    return published;
  };

  beforeEach(() => {
    tables = new Tables();
    published = [];
    mend = new MendBoard(tables, { publish });
  });

  it('publishes all there is at first, and nothing where nothing is', async () => {
    expect(await publishedByRun()).to.eql([]);
    tables.generations.set('old', 1).set('new', NOON);

    expect(await publishedByRun()).to.eql(['old', 'new']);
  });

  it('publishes later what was raised since, and what a transaction may have committed late', async () => {
    tables.generations.set('old', NOON - 3600 * SECOND).set('new', NOON);
    await mend.run();
    tables.generations.set('late', NOON - 59 * SECOND).set('next', NOON + SECOND);

    expect(await publishedByRun()).to.have.members(['late', 'new', 'next']);
  });

  it('publishes all there is after it starts over', async () => {
    tables.generations.set('old', NOON - 3600 * SECOND).set('new', NOON);
    await mend.run();
    mend.startOver();

    expect(await publishedByRun()).to.eql(['old', 'new']);
  });

  it('starts over also when it is told so in the midst of its work', async () => {
    tables.generations.set('old', NOON - 3600 * SECOND).set('new', NOON);
    await mend.run();
    const gate = new Gate();
    const above = sinon.stub(tables, 'above').callThrough();
    above.onFirstCall().callsFake(() => gate.wait().then(() => []));
    const running = mend.run();
    await gate.arrived;
    mend.startOver();
    gate.open();
    await running;

    expect(await publishedByRun()).to.eql(['old', 'new']);
  });

  it('goes through many organizations a page at a time', async () => {
    for (let n = 0; n < 1201; n++) tables.generations.set(`org_${n}`, NOON + n);
    const sizes: number[] = [];
    mend = new MendBoard(tables, { publish: async (raised) => sizes.push(raised.length) > 0 });
    await mend.run();

    expect(sizes.filter((size) => size > 0)).to.eql([500, 500, 201]);
  });

  it('forgets none of those that were raised in the same microsecond', async () => {
    for (let n = 0; n < 499; n++) tables.generations.set(`org_${n}`, NOON - n - 1);
    for (let n = 499; n < 502; n++) tables.generations.set(`org_${n}`, NOON);

    expect(new Set(await publishedByRun()).size).to.equal(502);
  });

  it('passes on what breaks, and publishes the same again next time', async () => {
    tables.generations.set('org', NOON);
    const failing = sinon.stub().onFirstCall().rejects(new Error('board away')).callsFake(publish);
    mend = new MendBoard(tables, { publish: failing });

    const failure = await mend.run().catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'board away');
    expect(await publishedByRun()).to.eql(['org']);
  });
});
