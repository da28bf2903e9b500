import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import type { ContentSource } from '../../../src/domain/ports/content-source.js';
import { walkSource } from '../../../src/domain/sync/walk-source.js';
import { WorkerUnderTest } from './worker-under-test.js';

/** The size of a step of existing rows. */
const STEP = 500;

/** A source with these keys, in this order. */
function sourceOf(keys: readonly string[]) {
  return {
    keys: async () => keys,
    read: async (_kind: string, ids: readonly string[]) => ({ ids, rows: [], refused: [] }),
  } as unknown as ContentSource;
}

describe('walkSource', () => {
  it('skips no key of a source with another collation: it extends a step only by keys that follow directly', async () => {
    // The order of en_US.
    const source = sourceOf(['a1', 'A2', 'b1', 'B2']);
    const stretch = { size: 2, maxKeys: 4, nextHeld: 'a5' };
    const walked = await walkSource(source, { of: 'everything' }, 'categories', null, stretch);
    expect(walked).to.deep.include({ last: 'A2' });
    expect(walked).to.have.nested.property('slice.ids').that.deep.equals(['a1', 'A2']);
  });
});

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

  it('reads the next rows while it compares these', async () => {
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', blog(n, 'x'));
    await given.settle();
    const digested = sinon.spy(given.source, 'readDigested');
    const differing = sinon.stub(given.readModel, 'differing').callsFake(async () => {
      await nextTurn();
      return [];
    });
    await given.list.requestEverything();
    while (differing.callCount < 1) await given.runJob();
    expect(digested.callCount).to.equal(2);
    await given.settle();
    expect(digested.callCount, 'each only once').to.equal(2);
  });

  it('uses nothing that was read before a change was written', async () => {
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', blog(n, 'x'));
    await given.settle();
    await given.list.requestEverything();
    const digested = sinon.spy(given.source, 'readDigested');
    while (digested.callCount < 2) await given.runJob();
    const [ahead = []] = digested.lastCall.args;
    const id = ahead[0] as string;
    given.put('blogs', { ...blog(0), id, title: 'Second' });
    await given.applyChanges();
    await given.settle();
    expect(held(id)?.title).to.equal('Second');
  });
});

function idOf(n: number): string {
  return `blog_${String(n).padStart(5, '0')}`;
}

function blog(n: number, suffix = '') {
  return aSourceBlog({ id: `${idOf(n)}${suffix}`, contentHtml: `<p>${n}</p>` });
}
