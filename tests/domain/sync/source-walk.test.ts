import { expect } from 'chai';
import sinon from 'sinon';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { WorkerUnderTest } from './worker-under-test.js';

/** The size of a step. */
const STEP = 500;

describe('A walk over existing blogs', () => {
  let given: WorkerUnderTest;

  beforeEach(async () => {
    given = new WorkerUnderTest();
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', blog(n));
    await given.settle();
  });

  const rebuild = async () => {
    await given.list.requestEverything();
    const read = sinon.spy(given.source, 'read');
    await given.settle();
    const ids = read.args.flatMap(([kind, keys]) => (kind === 'blogs' ? keys : []));
    read.restore();
    return ids;
  };
  const held = (id: string) => given.readModel.rows('blogs').find((row) => row.id === id);

  it('reads the content of none that is unchanged', async () => {
    expect(await rebuild()).to.deep.equal([]);
  });

  it('reads those completely that differ, even if only in their content, and those that are missing', async () => {
    given.source.put('blogs', { ...blog(3), contentHtml: 'other' });
    given.source.put('blogs', { ...blog(700), title: 'other' });
    given.source.put('blogs', blog(3, 'new'));
    expect(await rebuild()).to.deep.equal([idOf(3), `${idOf(3)}new`, idOf(700)]);
    expect(held(idOf(3))?.contentHtml).to.equal('other');
    expect(held(idOf(700))?.title).to.equal('other');
    expect(held(`${idOf(3)}new`)).to.not.equal(undefined);
  });

  it('deletes those that are no longer shown, even without a change', async () => {
    given.source.put('blogs', { ...blog(9), status: 'draft' });
    await rebuild();
    expect(held(idOf(9))).to.equal(undefined);
  });

  it('quarantines those that cannot be shown, even without a change, and again each time', async () => {
    for (const id of [idOf(9), `${idOf(9)}new`]) {
      given.source.put('blogs', { ...blog(9), id, publishedAt: Number.POSITIVE_INFINITY });
    }
    for (const time of ['first', 'second']) {
      expect(await rebuild(), time).to.deep.equal([idOf(9), `${idOf(9)}new`]);
      expect(held(idOf(9))).to.equal(undefined);
      expect(given.readModel.reasonNotToShow('blogs', `${idOf(9)}new`)).to.include('published_at');
    }
  });

  it('writes at most one step of rows at once, and reaches all of them', async () => {
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', { ...blog(n), title: 'other' });
    const write = sinon.spy(given.readModel, 'write');
    expect(await rebuild()).to.have.lengthOf(2 * STEP);
    const rows = write.args.flatMap(([, { slices }]) => slices.map((slice) => slice.rows.length));
    expect(Math.max(...rows)).to.equal(STEP);
    expect(new Set(given.readModel.rows('blogs').map(({ title }) => title))).to.deep.equal(
      new Set(['other']),
    );
  });

  it('reaches all of them if more differ than are read at once', async () => {
    for (let n = 0; n < 20; n++) given.source.put('blogs', { ...blog(n * 7), title: 'other' });
    given.readAtMost(3);
    await given.list.requestEverything();
    await given.settle();
    expect(given.readModel.rows('blogs').filter(({ title }) => title === 'other')).to.have.lengthOf(20);
  });
});

describe('The next rows of a walk', () => {
  let given: WorkerUnderTest;
  const untilBlogs = async (count: number) => {
    while (given.idsOf('blogs').length < count) await given.runJob();
  };

  beforeEach(() => {
    given = new WorkerUnderTest();
    for (let n = 0; n < 3 * STEP; n++) given.source.put('blogs', blog(n));
  });

  it('are read while the previous ones are written, and only once', async () => {
    const read = sinon.spy(given.source, 'read');
    const ofBlogs = () => read.args.flatMap(([kind, ids]) => (kind === 'blogs' ? [ids.length] : []));
    await untilBlogs(STEP);
    expect(ofBlogs()).to.eql([STEP, STEP]);
    await untilBlogs(3 * STEP);
    expect(ofBlogs()).to.eql([STEP, STEP, STEP]);
  });

  it('are read while the previous ones are compared, and only once', async () => {
    await given.settle();
    const digested = sinon.spy(given.source, 'readDigested');
    const differing = sinon.spy(given.readModel, 'differing');
    await given.list.requestEverything();
    while (differing.callCount < 1) await given.runJob();
    expect(digested.callCount).to.equal(2);
    await given.settle();
    expect(digested.callCount).to.equal(3);
  });

  it('never overwrite what a change has written since', async () => {
    await untilBlogs(STEP);
    given.put('blogs', { ...blog(STEP + 1), title: 'Second' });
    await given.applyChanges();
    await untilBlogs(3 * STEP);
    const row = given.readModel.rows('blogs').find(({ id }) => id === idOf(STEP + 1));
    expect(row?.title).to.equal('Second');
  });

  it('fail in their own step if they cannot be read, not in the previous one', async () => {
    sinon.stub(given.source, 'read').callThrough().onSecondCall().rejects(new Error('invalid page'));
    const failures = () => given.log.lines.filter(({ message }) => message.includes('a job failed'));
    await untilBlogs(STEP);
    expect(failures()).to.eql([]);
    await untilBlogs(3 * STEP);
    expect(failures()).to.have.lengthOf(1);
  });
});

function idOf(n: number): string {
  return `blog_${String(n).padStart(5, '0')}`;
}

function blog(n: number, suffix = '') {
  return aSourceBlog({ id: `${idOf(n)}${suffix}`, contentHtml: `<p>${n}</p>` });
}
