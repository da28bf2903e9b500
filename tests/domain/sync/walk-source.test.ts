import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import type { ContentSource } from '../../../src/domain/ports/content-source.js';
import { walkSource } from '../../../src/domain/sync/walk-source.js';
import { WorkerUnderTest } from '../../support/sync/worker-under-test.js';

/** Of rows that are there already. */
const STEP = 500;

/** With these keys, in this order. */
function sourceOf(keys: readonly string[]) {
  return {
    keys: async () => keys,
    read: async (_kind: string, ids: readonly string[]) => ({ ids, rows: [], refused: [] }),
  } as unknown as ContentSource;
}

describe('walkSource', () => {
  it('passes over no key of a source whose collation is another: what it takes beyond a step follows directly', async () => {
    // As en_US sorts them.
    const source = sourceOf(['a1', 'A2', 'b1', 'B2']);
    const stretch = { size: 2, most: 4, nextHeld: 'a5' };
    const walked = await walkSource(source, { of: 'everything' }, 'categories', null, stretch);
    expect(walked).to.deep.include({ last: 'A2' });
    expect(walked).to.have.nested.property('slice.ids').that.deep.equals(['a1', 'A2']);
  });
});

describe('A walk over blogs that are there already', () => {
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
    const ids = read.args.flatMap(([kind, asked]) => (kind === 'blogs' ? asked : []));
    read.restore();
    return ids;
  };
  const held = (id: string) => given.readModel.rows('blogs').find((row) => row.id === id);

  it('reads none of them whole that is the same', async () => {
    expect(await rebuild()).to.deep.equal([]);
  });

  it('reads those whole that differ, be it in their content alone, and those that are missing', async () => {
    given.source.put('blogs', { ...blog(3), contentHtml: 'other' });
    given.source.put('blogs', { ...blog(700), title: 'other' });
    given.source.put('blogs', blog(3, 'new'));
    expect(await rebuild()).to.deep.equal([idOf(3), `${idOf(3)}new`, idOf(700)]);
    expect(held(idOf(3))?.contentHtml).to.equal('other');
    expect(held(idOf(700))?.title).to.equal('other');
    expect(held(`${idOf(3)}new`)).to.not.equal(undefined);
  });

  it('takes out what is shown no more, also where nothing told of it', async () => {
    given.source.put('blogs', { ...blog(9), status: 'draft' });
    await rebuild();
    expect(held(idOf(9))).to.equal(undefined);
  });

  it('sets aside what cannot be shown, also where nothing told of it, and again each time', async () => {
    for (const id of [idOf(9), `${idOf(9)}new`]) {
      given.source.put('blogs', { ...blog(9), id, publishedAt: Number.POSITIVE_INFINITY });
    }
    for (const time of ['first', 'second']) {
      expect(await rebuild(), time).to.deep.equal([idOf(9), `${idOf(9)}new`]);
      expect(held(idOf(9))).to.equal(undefined);
      expect(given.readModel.reasonNotToShow('blogs', `${idOf(9)}new`)).to.include('published_at');
    }
  });

  it('writes no more of them at once than a step may have, and comes to all', async () => {
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', { ...blog(n), title: 'other' });
    const write = sinon.spy(given.readModel, 'write');
    expect(await rebuild()).to.have.lengthOf(2 * STEP);
    const rows = write.args.flatMap(([, { slices }]) => slices.map((slice) => slice.rows.length));
    expect(Math.max(...rows)).to.equal(STEP);
    expect(new Set(given.readModel.rows('blogs').map(({ title }) => title))).to.deep.equal(
      new Set(['other']),
    );
  });

  it('comes to all of them where fewer are read at once than differ', async () => {
    for (let n = 0; n < 20; n++) given.source.put('blogs', { ...blog(n * 7), title: 'other' });
    given.readAtMost(3);
    await given.list.requestEverything();
    await given.settle();
    expect(given.readModel.rows('blogs').filter(({ title }) => title === 'other')).to.have.lengthOf(20);
  });

  it('reads the next ones while these are compared', async () => {
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', blog(n, 'x'));
    await given.settle();
    const digested = sinon.spy(given.source, 'readDigested');
    const differing = sinon.stub(given.readModel, 'differing').callsFake(async () => {
      await nextTurn();
      return [];
    });
    await given.list.requestEverything();
    while (differing.callCount < 1) await given.work.run(given.epoch);
    expect(digested.callCount).to.equal(2);
    await given.settle();
    expect(digested.callCount, 'none of them twice').to.equal(2);
  });

  it('goes by nothing that was read before a change was written', async () => {
    for (let n = 0; n < 2 * STEP; n++) given.source.put('blogs', blog(n, 'x'));
    await given.settle();
    await given.list.requestEverything();
    const digested = sinon.spy(given.source, 'readDigested');
    while (digested.callCount < 2) await given.work.run(given.epoch);
    const [ahead = []] = digested.lastCall.args;
    const id = ahead[0] as string;
    given.put('blogs', { ...blog(0), id, title: 'Second' });
    await given.changes.run(given.epoch);
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
