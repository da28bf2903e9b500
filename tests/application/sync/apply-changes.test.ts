import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { LeadershipLost } from '../../../src/domain/errors.js';
import type { ReadModelChange } from '../../../src/domain/model/read-model.js';
import { aSourceTag } from './source-terms.js';
import { toTheEnd, WorkerUnderTest } from './worker-under-test.js';

describe('ApplyChanges', () => {
  let given: WorkerUnderTest;

  const run = () => given.applyChanges();
  const runToTheEnd = () => toTheEnd(run);
  const failureOf = (attempt: Promise<unknown>) => attempt.then(() => null, String);
  const waitingKeys = async () => (await given.waitingChanges()).map(({ key }) => key);
  const titleOf = (id: string) => given.titleOf(id);
  const blogs = (count: number) =>
    Array.from({ length: count }, (_, n) => aSourceBlog({ id: `blog_${n}`, organizationId: 'org_a' }));

  beforeEach(() => {
    given = new WorkerUnderTest();
  });

  it('writes the current rows, however often they changed, and returns the number of changes', async () => {
    given.put(
      'blogs',
      aSourceBlog({ id: 'blog', title: 'First' }),
      aSourceBlog({ id: 'blog', title: 'Second' }),
    );
    given.put('tags', aSourceTag({ id: 'tag' }));

    expect(await run()).to.equal(3);
    expect(titleOf('blog')).to.equal('Second');
    expect(given.idsOf('tags')).to.eql(['tag']);
    expect(await waitingKeys()).to.eql([]);
  });

  it('deletes rows of every kind that are gone, and rows that are no longer shown', async () => {
    given.put('apiKeys', aKey({ id: 'key' }));
    given.put('categories', aSourceCategory({ id: 'category' }));
    given.put('tags', aSourceTag({ id: 'tag' }));
    given.put(
      'blogs',
      aSourceBlog({ id: 'gone' }),
      aSourceBlog({ id: 'archived' }),
      aSourceBlog({ id: 'stays' }),
    );
    await runToTheEnd();
    given.remove('apiKeys', 'key');
    given.remove('categories', 'category');
    given.remove('tags', 'tag');
    given.remove('blogs', 'gone');
    given.put('blogs', aSourceBlog({ id: 'archived', status: 'archived' }));
    await runToTheEnd();

    expect(Object.values(given.dump()).flatMap((rows) => rows.map(({ id }) => id))).to.eql(['stays']);
  });

  it('acknowledges a change only after its rows are written', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog' }));
    const steps = [sinon.spy(given.readModel, 'write'), sinon.spy(given.feed, 'acknowledge')] as const;
    await run();

    sinon.assert.callOrder(...steps);
  });

  for (const [what, breakIt] of [
    ['writing', () => sinon.stub(given.readModel, 'write')],
    ['acknowledging', () => sinon.stub(given.feed, 'acknowledge')],
  ] as const) {
    it(`keeps the changes if ${what} fails, and applies them in the next run`, async () => {
      given.put('blogs', aSourceBlog({ id: 'blog' }));
      const broken = breakIt().rejects(new Error('connection lost'));
      expect(await failureOf(run())).to.equal('Error: connection lost');
      expect(await waitingKeys()).to.eql(['blog']);
      broken.restore();

      expect(await run()).to.equal(1);
      expect(given.idsOf('blogs')).to.eql(['blog']);
      expect(await waitingKeys()).to.eql([]);
    });
  }

  it('writes nothing and acknowledges nothing if it is no longer the leader', async () => {
    const { epoch } = given;
    given.leadAgain();
    given.put('blogs', aSourceBlog({ id: 'blog' }));

    expect(await failureOf(given.changes.apply(epoch, Number.POSITIVE_INFINITY))).to.equal(
      String(new LeadershipLost(epoch)),
    );
    expect(given.idsOf('blogs')).to.eql([]);
    expect(await waitingKeys()).to.eql(['blog']);
  });

  it('keeps a change of the same row that arrives during the write', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog', title: 'First' }));
    const write = given.readModel.write.bind(given.readModel);
    sinon.stub(given.readModel, 'write').callsFake(async (epoch, update): Promise<ReadModelChange> => {
      if (titleOf('blog') === undefined) given.put('blogs', aSourceBlog({ id: 'blog', title: 'Second' }));
      return write(epoch, update);
    });
    await run();
    expect(titleOf('blog')).to.equal('First');
    await run();

    expect(titleOf('blog')).to.equal('Second');
    expect(await run()).to.equal(0);
  });

  it('applies changes of API keys before all others', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog' }));
    given.put('apiKeys', aKey({ id: 'key' }));
    await run();

    expect([given.idsOf('apiKeys'), given.idsOf('blogs')]).to.eql([['key'], []]);
    await run();
    expect(given.idsOf('blogs')).to.eql(['blog']);
  });

  it('takes 1,000 changes at once, from both ends in turn, and continues while as many wait', async () => {
    given.put('blogs', ...blogs(2_500));
    const ids = blogs(2_500).map(({ id }) => id);
    const look = sinon.spy(given.feed, 'read');
    const write = sinon.spy(given.readModel, 'write');

    expect(await run()).to.equal(2_500);
    const inTurn = ids.slice(0, 1_250).flatMap((id, n) => [id, ids[2_499 - n]]);
    expect(write.args.map(([, { slices }]) => slices[0]?.ids)).to.eql([
      inTurn.slice(0, 1_000),
      inTurn.slice(1_000, 2_000),
      ids.slice(1_000, 1_250).flatMap((id, n) => [ids[1_499 - n], id]),
    ]);
    // Every read after the first one also sees the previous changes, which are not acknowledged yet.
    expect(look.args.map(([limit]) => limit)).to.eql([1_000, 2_000, 2_000]);
    expect(await waitingKeys()).to.eql([]);
  });

  it('reads the next batch and acknowledges the previous one while it writes a batch', async () => {
    given.put('blogs', ...blogs(3_500));
    const steps: string[] = [];
    const { source, readModel, feed } = given;
    const [write, acknowledge] = [readModel.write.bind(readModel), feed.acknowledge.bind(feed)];
    const snapshot = source.snapshot.bind(source);
    sinon.stub(source, 'snapshot').callsFake(() => {
      const shown = snapshot();
      const read = shown.read.bind(shown);
      sinon.stub(shown, 'read').callsFake((kind, ids) => {
        steps.push(`read ${ids[0]}`);
        return read(kind, ids);
      });
      return shown;
    });
    sinon.stub(readModel, 'write').callsFake(async (epoch, update) => {
      const first = update.slices[0]?.ids[0];
      steps.push(`write ${first}`);
      await nextTurn();
      const change = await write(epoch, update);
      steps.push(`written ${first}`);
      return change;
    });
    sinon.stub(feed, 'acknowledge').callsFake((changes) => {
      steps.push(`acknowledge ${changes[0]?.key} and ${changes.length - 1} more`);
      return acknowledge(changes);
    });
    await run();

    expect(steps).to.eql([
      'read blog_0',
      ...['read blog_500', 'write blog_0', 'written blog_0'],
      ...['acknowledge blog_0 and 999 more', 'write blog_500', 'read blog_2499', 'written blog_500'],
      ...['acknowledge blog_500 and 999 more', 'write blog_2499', 'read blog_1500', 'written blog_2499'],
      ...['write blog_1500', 'written blog_1500', 'acknowledge blog_2499 and 1499 more'],
    ]);
    expect(await waitingKeys()).to.eql([]);
  });

  const MAX_WRITES = 12;
  /** The writes up to that of a row, while changes arrive during each. */
  const writesUntil = async (id: string, arrives: (writes: number) => void) => {
    const write = given.readModel.write.bind(given.readModel);
    let writes = 0;
    let until: number | null = null;
    const stub = sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      if (until === null && writes < MAX_WRITES) arrives(++writes);
      if (update.slices.some(({ ids }) => ids.includes(id))) until ??= writes;
      return write(epoch, update);
    });
    await runToTheEnd();
    stub.restore();
    return until;
  };

  for (const count of [4_000, 8_000]) {
    it(`writes an edit behind ${count} others in the next batch that is read, or the one after it`, async () => {
      given.put('blogs', ...blogs(count));
      const arrives = (writes: number) => {
        if (writes === 1) given.put('blogs', aSourceBlog({ id: 'edited', organizationId: 'org_b' }));
      };
      expect(await writesUntil('edited', arrives)).to.be.within(2, 3);
      expect(given.idsOf('blogs')).to.have.lengthOf(count + 1);
    });
  }

  it('writes an edit behind rows of which only a few fit into one read in one of the next batches, too', async () => {
    given.readAtMost(2);
    given.put('blogs', ...blogs(1_000));
    const arrives = (writes: number) => {
      if (writes === 1) given.put('blogs', aSourceBlog({ id: 'edited', organizationId: 'org_b' }));
    };
    expect(await writesUntil('edited', arrives)).to.be.within(2, 3);
  });

  it('takes a third of the batches from the oldest changes, however many new ones arrive', async () => {
    given.put('blogs', ...blogs(4_000));
    let arrived = 0;
    const arrives = () => {
      const added = Array.from({ length: 1_500 }, () => aSourceBlog({ id: `new_${arrived++}` }));
      given.put('blogs', ...added);
    };
    expect(await writesUntil('blog_2900', arrives)).to.be.within(6, 9);
    expect(await waitingKeys()).to.eql([]);
  });

  for (const position of [0, 3, 5]) {
    it(`sets a change that always fails aside alone, the oldest, the newest or any other: ${position}`, async () => {
      given.put('blogs', ...blogs(6));
      const snapshot = given.source.snapshot.bind(given.source);
      sinon.stub(given.source, 'snapshot').callsFake(() => {
        const shown = snapshot();
        const read = shown.read.bind(shown);
        sinon.stub(shown, 'read').callsFake(async (kind, ids) => {
          if (ids.includes(`blog_${position}`)) throw new Error('invalid page');
          return read(kind, ids);
        });
        return shown;
      });
      await runToTheEnd();
      expect(given.readModel.unshownIds('blogs')).to.eql([`blog_${position}`]);
      expect(given.idsOf('blogs')).to.have.lengthOf(5);
    });
  }

  it('writes at most one more batch before a key that changes during a write', async () => {
    given.put('blogs', ...blogs(5_000));
    const write = given.readModel.write.bind(given.readModel);
    const kinds: string[] = [];
    sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      if (kinds.length === 1) given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
      kinds.push(update.slices[0]?.kind ?? 'none');
      return write(epoch, update);
    });
    await runToTheEnd();

    expect(kinds.indexOf('apiKeys')).to.be.within(2, 3);
    expect(given.idsOf('blogs')).to.have.lengthOf(5_000);
    expect(await waitingKeys()).to.eql([]);
  });

  it('reads no further batch after the given time, because jobs wait for its end', async () => {
    given.put('blogs', ...blogs(8_000));
    const write = given.readModel.write.bind(given.readModel);
    sinon.stub(given.readModel, 'write').callsFake((epoch, update) => {
      given.clock.advance(900);
      return write(epoch, update);
    });

    expect([await run(), await run(), await run()]).to.eql([5_000, 3_000, 0]);
    expect(await waitingKeys()).to.eql([]);
  });

  it('knows whether many changes wait', async () => {
    const runOnce = () => given.changes.apply(given.epoch, 0);
    given.put('blogs', ...blogs(1_500));
    expect(await runOnce()).to.eql({ applied: 1_000, areManyWaiting: true, hasFailed: false });
    expect(await runOnce()).to.eql({ applied: 500, areManyWaiting: false, hasFailed: false });
  });

  it('keeps the batches that are written if a later one fails, and repeats only that one', async () => {
    given.put('blogs', ...blogs(3_000));
    const write = sinon.stub(given.readModel, 'write').callThrough();
    write.onSecondCall().rejects(new Error('disk full'));
    await run();

    expect(given.idsOf('blogs')).to.have.lengthOf(1_000);
    await runToTheEnd();
    expect(given.idsOf('blogs')).to.have.lengthOf(3_000);
    expect(await waitingKeys()).to.eql([]);
    expect(given.metrics.of('job-failed')).to.equal(1);
  });

  it('takes fewer changes after a read that fails while a batch is written', async () => {
    given.put('blogs', ...blogs(3_000));
    const snapshot = given.source.snapshot.bind(given.source);
    const broken = sinon.stub(given.source, 'snapshot').callsFake(() => {
      const shown = snapshot();
      if (broken.callCount === 2) sinon.stub(shown, 'read').rejects(new Error('invalid page'));
      return shown;
    });
    await run();

    const look = sinon.spy(given.feed, 'read');
    await run();
    expect(look.firstCall.args[0]).to.equal(500);
    await runToTheEnd();
    expect(given.idsOf('blogs')).to.have.lengthOf(3_000);
    expect(await waitingKeys()).to.eql([]);
  });

  it('keeps the changes of rows that do not fit into one read, and acknowledges the others', async () => {
    given.readAtMost(2);
    given.put('blogs', ...blogs(5));
    given.feed.add('organizations', 'org_a');
    await run();

    expect(given.idsOf('blogs')).to.eql(['blog_0', 'blog_1']);
    expect(await waitingKeys()).to.have.members(['blog_2', 'blog_3', 'blog_4']);
    await runToTheEnd();
    expect(given.idsOf('blogs')).to.have.lengthOf(5);
  });
});
