import { expect } from 'chai';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { aLinkedCategory } from '../../support/dashboards/source-terms.js';
import { WorkerUnderTest } from '../../support/sync/worker-under-test.js';

const MOST_STEPS = 100;

/** Of the website nothing is with its former owner but a category, which another blog of that owner lists. */
describe('A website that changes hands', () => {
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
  /** After each step from the one on at which nothing was shown first, or its terms had moved. */
  async function shownFromThenOn(step = () => given.worker.step(given.epoch)): Promise<readonly number[]> {
    const each: number[] = [];
    for (let steps = 0; steps < MOST_STEPS && (await step()); steps++) {
      if (each.length > 0 || shown() === 0 || wasMoved()) each.push(shown());
    }
    expect(wasMoved()).to.equal(true);
    expect(await given.readModel.hiddenWebsites()).to.deep.equal([]);
    return [...new Set(each)];
  }

  it('never shows its terms to its former owner again, from the step on that takes its change', async () => {
    given.feed.add('websites', 'moved');
    await given.worker.step(given.epoch);
    expect(shown()).to.equal(0);
    expect(await shownFromThenOn()).to.deep.equal([0]);
  });

  it('nor where another worker takes over after each step', async () => {
    given.feed.add('websites', 'moved');
    const step = () => {
      given.leadAgain();
      return given.worker.step(given.epoch);
    };
    expect(await shownFromThenOn(step)).to.deep.equal([0]);
  });

  it('nor where its terms come first, or a rebuild runs beside', async () => {
    given.feed.add('categories', 'category');
    await given.list.requestEverything();
    await given.worker.step(given.epoch);
    expect([wasMoved(), shown()]).to.deep.equal([true, 0]);
    given.feed.add('websites', 'moved');
    expect(await shownFromThenOn()).to.deep.equal([0]);
  });

  it('nor where a rebuild finds it, since no change told', async () => {
    await given.list.requestEverything();
    expect(await shownFromThenOn()).to.deep.equal([0]);
  });

  it('nor where the check finds it', async () => {
    const step = async () => {
      await given.check.run(given.epoch);
      return (await given.worker.step(given.epoch)) || !wasMoved();
    };
    expect(await shownFromThenOn(step)).to.deep.equal([0]);
  });

  it('nor where the blog that lists them cannot be written at first', async () => {
    given.feed.add('websites', 'moved');
    const write = given.readModel.write.bind(given.readModel);
    let refusals = 20;
    given.readModel.write = async (epoch, update) => {
      if (update.slices.some(({ ids }) => ids.includes('blog')) && refusals-- > 0) throw new Error('No room');
      return write(epoch, update);
    };
    const step = async () => {
      given.clock.advance(60_000);
      return given.worker.step(given.epoch);
    };
    expect(await shownFromThenOn(step)).to.deep.equal([0]);
    expect(refusals).to.be.below(0);
  });
});
