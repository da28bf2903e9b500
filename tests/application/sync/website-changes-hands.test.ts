import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { aLinkedCategory } from './source-terms.js';
import { WorkerUnderTest } from './worker-under-test.js';

const MAX_STEPS = 100;

/** The former owner has nothing else on this website than a category, which one of its other blogs lists. */
describe('A website that moves to another organization', () => {
  let given: WorkerUnderTest;

  beforeEach(async () => {
    given = new WorkerUnderTest();
    put('former');
    given.feed.add('blogs', 'blog');
    await given.settle();
    expect(shown()).to.equal(1);
    put('present');
  });

  function put(organizationId: string): void {
    const term = { ...aLinkedCategory({ id: 'category', name: 'Category' }), organizationId };
    given.source.put('categories', aSourceCategory({ id: 'category', organizationId, websiteId: 'moved' }));
    given.source.put('blogs', aSourceBlog({ id: 'blog', organizationId: 'former', categories: [term] }));
  }

  const shown = () => given.readModel.rowsOf('blogs', 'former').flatMap((blog) => blog.categories).length;
  const wasMoved = () => given.readModel.rowsOf('categories', 'present').length === 1;
  /** What is shown after each step, from the first step that shows nothing or has moved the terms. */
  async function shownFromThenOn(step = () => given.worker.step(given.epoch)): Promise<readonly number[]> {
    const each: number[] = [];
    for (let steps = 0; steps < MAX_STEPS && (await step()); steps++) {
      if (each.length > 0 || shown() === 0 || wasMoved()) each.push(shown());
    }
    expect(wasMoved()).to.equal(true);
    expect(await given.readModel.hiddenWebsites()).to.deep.equal([]);
    return [...new Set(each)];
  }

  it('never shows its terms to its former owner again once its change is applied', async () => {
    given.feed.add('websites', 'moved');
    await given.worker.step(given.epoch);
    expect(shown()).to.equal(0);
    expect(await shownFromThenOn()).to.deep.equal([0]);
  });

  it('never shows its terms to its former owner if another worker takes over after each step', async () => {
    given.feed.add('websites', 'moved');
    const step = () => {
      given.leadAgain();
      return given.worker.step(given.epoch);
    };
    expect(await shownFromThenOn(step)).to.deep.equal([0]);
  });

  it('never shows its terms to its former owner if the terms change first, or a rebuild runs at the same time', async () => {
    given.feed.add('categories', 'category');
    await given.jobs.requestEverything();
    await given.worker.step(given.epoch);
    expect([wasMoved(), shown()]).to.deep.equal([true, 0]);
    given.feed.add('websites', 'moved');
    expect(await shownFromThenOn()).to.deep.equal([0]);
  });

  it('never shows its terms to its former owner if a rebuild finds the move without a change', async () => {
    await given.jobs.requestEverything();
    expect(await shownFromThenOn()).to.deep.equal([0]);
  });

  it('never shows its terms to its former owner if it finds the move when it reconciles', async () => {
    const step = async () => {
      await given.checkStep();
      return (await given.worker.step(given.epoch)) || !wasMoved();
    };
    expect(await shownFromThenOn(step)).to.deep.equal([0]);
  });

  it('never shows its terms to its former owner if the blog that lists them cannot be written at first', async () => {
    given.feed.add('websites', 'moved');
    const write = given.readModel.write.bind(given.readModel);
    let refusals = 20;
    given.readModel.write = async (epoch, update) => {
      if (update.slices.some(({ ids }) => ids.includes('blog')) && refusals-- > 0) throw new Error('No room');
      return write(epoch, update);
    };
    const step = async () => {
      given.clock.advance(3_600_000);
      return given.worker.step(given.epoch);
    };
    expect(await shownFromThenOn(step)).to.deep.equal([0]);
    expect(refusals).to.be.below(0);
  });

  it('never shows blogs to its former owner that a fill had read ahead', async () => {
    const fill = new WorkerUnderTest();
    const putAll = (organizationId: string) => {
      for (let n = 1_000; n < 1_600; n++) {
        const website =
          n < 1_500
            ? { organizationId: 'other', websiteId: 'theirs' }
            : { organizationId, websiteId: 'moved' };
        fill.source.put('blogs', aSourceBlog({ id: String(n), slug: String(n), ...website }));
      }
    };
    putAll('former');
    while (fill.readModel.rows('blogs').length === 0) await fill.worker.step(fill.epoch);
    await nextTurn();
    putAll('present');
    fill.feed.add('websites', 'moved');
    await fill.applyChanges();
    while (await fill.runJob()) expect(fill.readModel.rowsOf('blogs', 'former')).to.have.length(0);
    expect(fill.readModel.rowsOf('blogs', 'present')).to.have.length(100);
  });
});
