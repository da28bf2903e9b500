import { expect } from 'chai';
import sinon from 'sinon';
import { type Verdict, verdictOn } from '../../../src/application/sync/failed-piece.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { KindFails, RowRefused } from '../../../src/domain/errors.js';
import { WorkerUnderTest } from './worker-under-test.js';

const NO_RIGHT = new KindFails('permission denied for table texts');
const BROKEN = new RowRefused('the row cannot be read: division by zero');

describe('The verdict on a piece that fails', () => {
  const rowsOf = (size: number) => Array.from({ length: size }, (_, n) => ({ id: `${n}`, attempts: 0 }));
  const TABLE: readonly (readonly [
    what: string,
    fault: 'kind' | 'row',
    size: number,
    canReadAnother: boolean,
    verdict: Verdict,
    reads: number,
  ])[] = [
    ['a right is missing', 'kind', 500, true, 'kind', 0],
    ['a right is missing for a row that is alone', 'kind', 1, true, 'kind', 0],
    ['a row of many fails', 'row', 500, true, 'halve', 0],
    ['a row of two fails', 'row', 2, false, 'halve', 0],
    ['a row fails alone, and another one can be read', 'row', 1, true, 'row', 1],
    ['a row fails alone, and another one fails too', 'row', 1, false, 'kind', 1],
  ];
  for (const [what, fault, size, canReadAnother, verdict, reads] of TABLE) {
    it(`is '${verdict}' after ${reads} more reads, if ${what}`, async () => {
      let asked = 0;
      const read = async () => {
        asked++;
        return canReadAnother;
      };
      const piece = { kind: 'blogs', size, rows: rowsOf(size) } as const;
      expect(await verdictOn(fault, piece, false, read)).to.equal(verdict);
      expect(asked).to.equal(reads);
    });
  }

  it("is 'kind' at once if all of the kind failed before, and if not even the keys can be read", async () => {
    const never = () => expect.fail('no other row is read');
    const piece = { kind: 'blogs', size: 500, rows: rowsOf(500) } as const;
    expect(await verdictOn('row', piece, true, never)).to.equal('kind');
    expect(await verdictOn('row', { ...piece, size: 1, rows: [] }, false, never)).to.equal('kind');
  });
});

describe('A kind that cannot be read', () => {
  let given: WorkerUnderTest;
  const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `blog_${n}`);
  const linesOf = (level: string) => given.log.lines.filter((line) => line.level === level);

  beforeEach(async () => {
    given = new WorkerUnderTest();
    given.source.snapshot = () => given.source;
    for (const id of idsOf(400)) given.put('blogs', aSourceBlog({ id }));
    given.put('apiKeys', aKey({ id: 'key_a' }), aKey({ id: 'key_b' }));
    await given.settle();
  });

  it('costs one read for any number of changes, and leaves one request and one line of log', async () => {
    const reading = given.failToRead(NO_RIGHT, ...idsOf(400));
    for (let round = 0; round < 20; round++) {
      for (const id of idsOf(150)) given.put('blogs', aSourceBlog({ id, title: 'New' }));
      given.put('categories', aSourceCategory({ id: `category_${round}` }));
      await given.settle();
    }
    expect(await given.waitingChanges()).to.eql([]);
    expect(given.idsOf('categories'), 'nothing else waits').to.have.lengthOf(20);
    expect(given.idsOf('blogs'), 'nothing vanishes').to.have.lengthOf(400);
    expect(await given.jobs.unfinished(['allBlogs', 'everything', 'categories'])).to.have.lengthOf(1);
    expect(linesOf('error')).to.have.lengthOf(1);
    expect(reading.callCount).to.be.below(20 * 8);

    reading.restore();
    given.clock.advance(5_000);
    await given.settle();
    expect(given.titleOf('blog_149')).to.equal('New');
    expect(linesOf('info').at(-1)?.message).to.contain('can be read again');
  });

  it('is told apart from a row that fails by one more read, and hides that row if it was changed', async () => {
    const reading = given.failToRead(BROKEN, 'blog_7');
    given.feed.add('blogs', 'blog_7');
    const before = reading.callCount;
    await given.applyAll();
    expect(reading.callCount - before).to.equal(2);
    expect(given.idsOf('blogs')).to.have.lengthOf(399).and.not.include('blog_7');
  });

  it('keeps a row that only a walk has met as it was', async () => {
    given.failToRead(BROKEN, 'blog_7');
    await given.jobs.requestEverything();
    await given.settle();
    expect(given.readModel.unshownIds('blogs')).to.eql(['blog_7']);
    expect(given.idsOf('blogs')).to.include('blog_7');
  });

  it('hides a changed row in the end that the other one, which cannot be read either, had kept', async () => {
    const reading = given.failToRead(BROKEN, 'blog_7', 'blog_99');
    given.put('blogs', aSourceBlog({ id: 'blog_7', title: 'Taken down?' }));
    await given.applyAll();
    expect(given.idsOf('blogs'), 'the kind fails').to.have.lengthOf(400);
    given.clock.advance(5_000);
    await given.settle();
    expect(given.readModel.unshownIds('blogs')).to.have.members(['blog_7', 'blog_99']);
    expect(given.idsOf('blogs')).to.have.lengthOf(399).and.not.include('blog_7');
    reading.restore();
    given.clock.advance(60_000);
    await given.settle();
    expect(given.titleOf('blog_7')).to.equal('Taken down?');
  });

  it('is not taken for one because the other row has become a draft', async () => {
    given.failToRead(BROKEN, 'blog_0');
    given.source.put('blogs', aSourceBlog({ id: 'blog_99', status: 'draft' }));
    given.feed.add('blogs', 'blog_0');
    await given.settle();
    given.clock.advance(5_000);
    await given.settle();
    expect(given.readModel.unshownIds('blogs')).to.eql(['blog_0']);
    expect(given.idsOf('blogs')).to.have.lengthOf(398).and.not.include('blog_0');
    expect(await given.jobs.unfinished(['allBlogs'])).to.eql([]);
  });

  it('refuses a key that was changed, and no other', async () => {
    const reading = given.failToRead(NO_RIGHT, 'key_a', 'key_b');
    given.feed.add('apiKeys', 'key_a');
    await given.settle();
    expect(given.idsOf('apiKeys')).to.eql(['key_b']);
    reading.restore();
    given.clock.advance(5_000);
    await given.settle();
    expect(given.idsOf('apiKeys')).to.have.members(['key_a', 'key_b']);
  });

  it('is tried by one row, and read in large steps as soon as that can be read', async () => {
    const reading = given.failToRead(BROKEN, ...idsOf(400));
    given.put('blogs', aSourceBlog({ id: 'blog_1', title: 'New' }));
    await given.settle();
    reading.restore();
    const readAgain = sinon.spy(given.source, 'read');
    given.clock.advance(5_000);
    await given.settle();
    expect(given.titleOf('blog_1')).to.equal('New');
    expect(readAgain.args.map(([, ids]) => ids.length)).to.eql([1, 1, 398]);
  });

  it('is tried at once when it is requested anew, however long it would have waited', async () => {
    const reading = given.failToRead(NO_RIGHT, ...idsOf(400));
    given.put('blogs', aSourceBlog({ id: 'blog_1', title: 'First' }));
    await given.settle();
    for (let n = 0; n < 5; n++) {
      given.clock.advance(5_000);
      await given.settle();
    }
    reading.restore();
    given.source.put('blogs', aSourceBlog({ id: 'blog_2', title: 'Second' }));
    await given.update.write(given.epoch, {
      slices: [],
      jobs: [{ kind: 'add', scope: { kind: 'allBlogs' } }],
    });
    await given.settle();
    expect([given.titleOf('blog_1'), given.titleOf('blog_2')]).to.eql(['First', 'Second']);
  });
});
