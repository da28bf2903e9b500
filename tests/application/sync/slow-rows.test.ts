import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { SourceTooSlow } from '../../../src/domain/errors.js';
import { WorkerUnderTest } from './worker-under-test.js';

const LIMIT_MS = 9_000;
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
    const read = given.source.read.bind(given.source) as (...args: unknown[]) => Promise<never>;
    sinon.stub(given.source, 'read').callsFake(async (...args: unknown[]) => {
      const ids = args.at(-1) as readonly string[];
      if (!ids.some((id) => slow.has(id))) return read(...args);
      stalls++;
      given.clock.advance(LIMIT_MS);
      throw new SourceTooSlow('canceling statement due to statement timeout');
    });
    await given.settle();
  });

  const change = () => {
    for (let n = 0; n < 800; n++) given.put('blogs', aSourceBlog({ id: idOf(n) }));
    for (const id of SLOW) slow.add(id);
  };
  const unshownBlogs = () => given.readModel.unshownIds('blogs');

  it('delay a revocation by at most one of them', async () => {
    given.put('apiKeys', aKey({ id: 'key' }));
    await given.settle();
    change();
    await given.applyChanges();
    expect(stalls).to.equal(1);
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    await given.applyChanges();
    expect(stalls).to.be.at.most(2);
    expect(given.readModel.rows('apiKeys')[0]?.revokedAt).to.equal(1);
  });

  it('are found among others, which are shown, and are hidden: they may be taken down', async () => {
    given.put('blogs', aSourceBlog({ id: idOf(7), title: 'Before' }));
    await given.settle();
    change();
    await given.applyAll();

    expect(given.idsOf('blogs')).to.have.lengthOf(792);
    expect(given.titleOf(idOf(7))).to.equal(undefined);
    expect([...unshownBlogs()].sort()).to.eql(SLOW);
    expect(stalls).to.be.at.most(8 * 7);
  });

  it('are tried again later and later: the pause grows with the time that the attempt took', async () => {
    given.put('blogs', aSourceBlog({ id: idOf(8) }));
    await given.settle();
    given.put('blogs', aSourceBlog({ id: idOf(7) }));
    for (const id of SLOW) slow.add(id);
    await given.settle();
    expect(stalls).to.equal(1);
    given.clock.advance(10 * LIMIT_MS - 2_000);
    await given.settle();
    expect(stalls).to.equal(1);
    given.clock.advance(3_000);
    await given.settle();
    expect(stalls).to.equal(2);
    given.clock.advance(20 * LIMIT_MS - 2_000);
    await given.settle();
    expect(stalls).to.equal(2);
    given.clock.advance(3_000);
    await given.settle();
    expect(stalls).to.equal(3);
  });

  it('are shown when they can be read', async () => {
    change();
    await given.applyAll();
    slow.clear();
    given.clock.advance(3_600_000);
    await given.settle();
    expect(given.idsOf('blogs')).to.have.lengthOf(800);
    expect(unshownBlogs()).to.eql([]);
  });

  it('are not read by a check while they wait', async () => {
    change();
    await given.applyAll();
    const before = stalls;
    for (let n = 0; n < 40; n++) await given.checkStep();
    expect(stalls).to.equal(before);
  });

  it('do not stop a rebuild', async () => {
    for (let n = 0; n < 800; n++) given.source.put('blogs', aSourceBlog({ id: idOf(n) }));
    for (const id of SLOW) slow.add(id);
    await given.jobs.requestEverything();
    while ((await given.jobs.unfinished(['everything'])).length > 0) await given.runJob();
    expect(given.idsOf('blogs')).to.have.lengthOf(792);
    expect(stalls).to.be.at.most(8 * 7);
  });

  it('are the fault of their select if all are slow: it is left alone for a while', async () => {
    for (let n = 0; n < 800; n++) given.put('blogs', aSourceBlog({ id: idOf(n) }));
    await given.applyAll();
    for (let n = 0; n < 800; n++) slow.add(idOf(n));
    given.feed.add('blogs', idOf(5));
    await given.settle();
    expect(unshownBlogs()).to.eql([]);
    expect(stalls).to.be.at.most(20);
    expect(await given.jobs.unfinished(['allBlogs'])).to.have.lengthOf(1);
  });
});
