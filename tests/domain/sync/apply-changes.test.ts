import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { LeadershipLost } from '../../../src/domain/errors.js';
import type { ReadModelChange } from '../../../src/domain/model/read-model.js';
import { aSourceTag } from '../../support/source-terms.js';
import { toTheEnd, WorkerUnderTest } from '../../support/worker-under-test.js';

/** So many are applied before a batch is as large as it gets. */
const BEFORE_LARGE = 250 + 1_000;

describe('ApplyChanges', () => {
  let given: WorkerUnderTest;

  const run = () => given.changes.run(given.epoch);
  const runToTheEnd = () => toTheEnd(run);
  const failureOf = (attempt: Promise<unknown>) => attempt.then(() => null, String);
  const waitingKeys = async () => (await given.waitingChanges()).map(({ key }) => key);
  const titleOf = (id: string) => given.readModel.rows('blogs').find((blog) => blog.id === id)?.title;
  const blogs = (count: number) =>
    Array.from({ length: count }, (_, n) => aSourceBlog({ id: `blog_${n}`, organizationId: 'org_a' }));

  beforeEach(() => {
    given = new WorkerUnderTest();
  });

  it('writes the rows as they are now, however often they changed, and answers the number of changes', async () => {
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

  it('touches nothing where nothing changed', async () => {
    const write = sinon.spy(given.readModel, 'write');

    expect(await run()).to.equal(0);
    expect(write.callCount).to.equal(0);
  });

  it('takes out what is gone, of every kind, and what is shown no more', async () => {
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

  it('forgets a change after its rows are there and published, and not before', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog' }));
    const steps = [
      sinon.spy(given.readModel, 'write'),
      sinon.spy(given.board, 'publish'),
      sinon.spy(given.feed, 'forget'),
    ] as const;
    await run();

    sinon.assert.callOrder(...steps);
    expect(await given.board.current('org_a')).to.equal(given.readModel.generationOf('org_a'));
  });

  for (const [what, breakIt] of [
    ['writing', () => sinon.stub(given.readModel, 'write')],
    ['publishing', () => sinon.stub(given.board, 'publish')],
    ['forgetting', () => sinon.stub(given.feed, 'forget')],
  ] as const) {
    it(`keeps the changes when ${what} fails, and applies them when it runs again`, async () => {
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

  it('writes nothing and forgets nothing when it leads no more', async () => {
    const { epoch } = given;
    given.leadAnew();
    given.put('blogs', aSourceBlog({ id: 'blog' }));

    expect(await failureOf(given.changes.run(epoch))).to.equal(String(new LeadershipLost(epoch)));
    expect(given.idsOf('blogs')).to.eql([]);
    expect(await waitingKeys()).to.eql(['blog']);
  });

  it('keeps a change of the same row that comes while it writes', async () => {
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

  it('raises and publishes the generations of those in which something changed, and of nobody else', async () => {
    given.put('blogs', aSourceBlog({ id: 'a' }), aSourceBlog({ id: 'b', organizationId: 'org_b' }));
    await run();
    const before = given.generations();
    const publish = sinon.spy(given.board, 'publish');
    given.put(
      'blogs',
      aSourceBlog({ id: 'a' }),
      aSourceBlog({ id: 'b', organizationId: 'org_b', title: 'New' }),
    );
    await run();

    const after = given.generations();
    expect(after.org_a).to.equal(before.org_a);
    expect(after.org_b).to.be.above(before.org_b ?? 0);
    expect(publish.args).to.eql([[[{ organizationId: 'org_b', generation: after.org_b }]]]);
  });

  it('raises and publishes nothing when it applies the same again', async () => {
    given.put('blogs', ...blogs(3));
    await run();
    const before = given.generations();
    given.clock.advance(1000);
    const publish = sinon.spy(given.board, 'publish');
    given.put('blogs', ...blogs(3));

    expect(await run()).to.equal(3);
    expect(given.generations()).to.eql(before);
    expect(publish.callCount).to.equal(0);
  });

  it('raises both generations when a row changes hands', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog', organizationId: 'org_a' }));
    await run();
    const before = given.generations();
    given.put('blogs', aSourceBlog({ id: 'blog', organizationId: 'org_b' }));
    await run();

    expect(given.generations().org_a).to.be.above(before.org_a ?? 0);
    expect(given.generations().org_b).to.be.above(0);
    expect(given.readModel.rows('blogs').map(({ organizationId }) => organizationId)).to.eql(['org_b']);
  });

  it('applies changes of API keys before all others', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog' }));
    given.put('apiKeys', aKey({ id: 'key' }));
    await run();

    expect([given.idsOf('apiKeys'), given.idsOf('blogs')]).to.eql([['key'], []]);
    await run();
    expect(given.idsOf('blogs')).to.eql(['blog']);
  });

  it('takes the oldest 250 changes first, more at a time while more wait, and 250 again after that', async () => {
    given.put('blogs', ...blogs(10_000));

    expect(await run()).to.equal(250);
    expect(given.idsOf('blogs')).to.have.members(blogs(250).map(({ id }) => id));
    const batches = [await run(), await run(), await run(), await run(), await run()];
    expect(batches).to.eql([1_000, 3_000, 3_000, 2_750, 0]);
    expect(given.idsOf('blogs')).to.have.lengthOf(10_000);

    given.put('blogs', ...blogs(300));
    expect([await run(), await run()]).to.eql([250, 50]);
  });

  it('writes no more than 1,000 at once of a large batch, and reads the next ones meanwhile', async () => {
    given.put('blogs', ...blogs(BEFORE_LARGE + 3_000));
    while ((await waitingKeys()).length > 3_000) await run();
    const steps: string[] = [];
    const { source, readModel, feed } = given;
    const [read, write, forget] = [
      source.read.bind(source),
      readModel.write.bind(readModel),
      feed.forget.bind(feed),
    ];
    sinon.stub(source, 'read').callsFake((kind, ids) => {
      steps.push(`read ${ids.length}`);
      return read(kind, ids);
    });
    sinon.stub(readModel, 'write').callsFake(async (epoch, update) => {
      steps.push(`write ${update.slices[0]?.ids.length}`);
      await nextTurn();
      const change = await write(epoch, update);
      steps.push('written');
      return change;
    });
    sinon.stub(feed, 'forget').callsFake((changes) => {
      steps.push(`forget ${changes.length}`);
      return forget(changes);
    });
    await run();

    expect(steps).to.eql([
      // Those before are read with the look.
      ...['read 1000', 'write 1000', 'written'],
      ...['read 1000', 'write 1000', 'written'],
      ...['write 1000', 'written', 'forget 3000'],
    ]);
    expect(await waitingKeys()).to.eql([]);
  });

  it('forgets nothing of a large batch of which one write fails, and does all of it again', async () => {
    given.put('blogs', ...blogs(BEFORE_LARGE + 3_000));
    while ((await waitingKeys()).length > 3_000) await run();
    const write = sinon.stub(given.readModel, 'write').callThrough();
    write.onSecondCall().rejects(new Error('disk full'));
    await run();

    expect(await waitingKeys()).to.have.lengthOf(3_000);
    await runToTheEnd();
    expect(given.idsOf('blogs')).to.have.lengthOf(BEFORE_LARGE + 3_000);
  });

  it('keeps the changes of rows that are too large together for one reading, and forgets the others', async () => {
    given.readAtMost(2);
    given.put('blogs', ...blogs(5));
    given.feed.add('organizations', 'org_a');
    await run();

    expect(given.idsOf('blogs')).to.eql(['blog_0', 'blog_1']);
    expect(await waitingKeys()).to.eql(['blog_2', 'blog_3', 'blog_4']);
    await runToTheEnd();
    expect(given.idsOf('blogs')).to.have.lengthOf(5);
  });
});
