import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { SelectFails, SourceTooSlow } from '../../../src/domain/errors.js';
import { WorkerUnderTest } from './worker-under-test.js';

const LIMIT_MS = 9_000;
const HOUR = 3_600_000;
const SLOW = Array.from({ length: 8 }, (_, n) => idOf(n * 100 + 7));

function idOf(n: number): string {
  return `blog_${String(n).padStart(4, '0')}`;
}

describe('Rows of the dashboard that take too long to read', () => {
  let given: WorkerUnderTest;
  let slow: Set<string>;
  /** The failed reads: each delays everything for the length of the time limit. */
  let stalls: number;

  beforeEach(async () => {
    given = new WorkerUnderTest();
    slow = new Set();
    stalls = 0;
    sinon.stub(given.source, 'snapshot').returns(given.source);
    for (const method of ['read', 'readDigested'] as const) {
      const read = given.source[method].bind(given.source) as (...args: unknown[]) => Promise<never>;
      sinon.stub(given.source, method).callsFake(async (...args: unknown[]) => {
        const ids = args.at(-1) as readonly string[];
        if (!ids.some((id) => slow.has(id))) return read(...args);
        stalls++;
        given.clock.advance(LIMIT_MS);
        throw new SourceTooSlow('canceling statement due to statement timeout');
      });
    }
    await given.settle();
  });

  const change = () => {
    for (let n = 0; n < 800; n++) given.put('blogs', aSourceBlog({ id: idOf(n) }));
    for (const id of SLOW) slow.add(id);
  };
  /** Works until all jobs are done, and lets the time pass in which they rest. */
  const workOff = async () => {
    for (let waits = 0; waits === 0 || (await given.list.count('rows')) > 0; waits++) {
      if (waits === 1_000) throw new Error('The jobs do not end');
      await given.settle();
      given.clock.advance(5_000);
    }
  };

  it('delay a change or a revocation once, not for ever: their batch is set aside at once', async () => {
    given.put('apiKeys', aKey({ id: 'key' }));
    await given.settle();
    change();
    await given.applyChanges();
    expect(stalls).to.equal(1);
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    await given.applyChanges();
    expect(stalls).to.equal(1);
    expect(given.readModel.rows('apiKeys')[0]?.revokedAt).to.equal(1);
  });

  it('are found among others, which are shown, and quarantined after they exceeded the limit twice alone', async () => {
    change();
    await workOff();

    expect(given.idsOf('blogs')).to.have.lengthOf(792);
    for (const id of SLOW)
      expect(given.readModel.reasonNotToShow('blogs', id)).to.match(/^reading the row, alone, takes longer/);
    expect(stalls).to.be.at.most(2 + 8 + 2 * 8);
  });

  it('are tried again later and later: the pause grows with the time that the attempt took', async () => {
    given.put('blogs', aSourceBlog({ id: idOf(7) }));
    for (const id of SLOW) slow.add(id);
    await given.settle();
    expect(stalls, 'in the change, and once alone').to.equal(2);
    given.clock.advance(10 * LIMIT_MS - 2_000);
    await given.settle();
    expect(stalls).to.equal(2);
    given.clock.advance(3_000);
    await given.settle();
    expect(stalls).to.equal(3);
  });

  it('are not read again by changes, rebuilds and checks, but alone after an hour, and are then shown if they can be read', async () => {
    change();
    await workOff();
    const before = stalls;
    given.put('blogs', ...SLOW.map((id) => aSourceBlog({ id, title: 'New' })));
    await given.list.requestEverything();
    await given.settle();
    await given.checkAll();
    expect(stalls).to.equal(before);
    expect(given.idsOf('blogs')).to.have.lengthOf(792);

    slow.clear();
    given.clock.advance(HOUR);
    for (const _ of SLOW) {
      await given.worker.reconcileNextStep(given.epoch);
      await given.settle();
    }
    expect(given.idsOf('blogs')).to.have.lengthOf(800);
  });

  it('do not stop a rebuild: its step is set aside', async () => {
    for (let n = 0; n < 800; n++) given.source.put('blogs', aSourceBlog({ id: idOf(n) }));
    for (const id of SLOW) slow.add(id);
    await given.list.requestEverything();
    await workOff();
    expect(given.idsOf('blogs')).to.have.lengthOf(792);
    expect(await given.list.count('everything')).to.equal(0);
    expect(stalls).to.be.at.most(4 + 8 + 2 * 8);
  });

  it('are never hidden if they are API keys', async () => {
    given.put('apiKeys', aKey({ id: 'key' }));
    await given.settle();
    slow.add('key');
    given.put('apiKeys', aKey({ id: 'key', name: 'New' } as never));
    for (let n = 0; n < 10; n++) {
      await given.settle();
      given.clock.advance(600_000);
    }
    expect(given.idsOf('apiKeys')).to.eql(['key']);
  });
});

describe('A select that fails whatever the rows are', () => {
  it('sets the changes aside as one job, and does not stop the others', async () => {
    const given = new WorkerUnderTest();
    sinon.stub(given.source, 'snapshot').returns(given.source);
    await given.settle();
    const read = given.source.read.bind(given.source);
    const failing = sinon.stub(given.source, 'read').callsFake(async (kind, ids) => {
      if (kind === 'blogs') throw new SelectFails('function slug(text) does not exist');
      return read(kind, ids);
    });
    for (let n = 0; n < 800; n++) given.put('blogs', aSourceBlog({ id: idOf(n) }));
    await given.settle();
    given.put('apiKeys', aKey({ id: 'key' }));
    await given.settle();

    expect(given.idsOf('apiKeys')).to.eql(['key']);
    expect(await given.waitingChanges()).to.eql([]);
    expect(await given.list.count('rows')).to.equal(1);
    failing.restore();
    given.clock.advance(60_000);
    await given.settle();
    expect(given.idsOf('blogs')).to.have.lengthOf(800);
  });
});
