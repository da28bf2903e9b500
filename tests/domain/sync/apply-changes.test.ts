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

  it('acknowledges a change only after its rows are written and published', async () => {
    given.put('blogs', aSourceBlog({ id: 'blog' }));
    const steps = [
      sinon.spy(given.readModel, 'write'),
      sinon.spy(given.published, 'publish'),
      sinon.spy(given.feed, 'acknowledge'),
    ] as const;
    await run();

    sinon.assert.callOrder(...steps);
    expect(await given.published.published('org_a')).to.equal(given.readModel.generationOf('org_a'));
  });

  for (const [what, breakIt] of [
    ['writing', () => sinon.stub(given.readModel, 'write')],
    ['publishing', () => sinon.stub(given.published, 'publish')],
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

    expect(await failureOf(given.changes.run(epoch, Number.POSITIVE_INFINITY))).to.equal(
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

  it('takes the oldest 1,000 changes at once, and continues while as many wait', async () => {
    given.put('blogs', ...blogs(2_500));
    const look = sinon.spy(given.feed, 'read');
    const write = sinon.spy(given.readModel, 'write');

    expect(await run()).to.equal(2_500);
    expect(write.args.map(([, { slices }]) => slices[0]?.ids)).to.eql(
      [blogs(2_500).slice(0, 1_000), blogs(2_500).slice(1_000, 2_000), blogs(2_500).slice(2_000)].map(
        (rows) => rows.map(({ id }) => id),
      ),
    );
    expect(look.args.map(([limit]) => limit)).to.eql([1_000, 1_000, 1_000]);
    expect(await waitingKeys()).to.eql([]);
  });

  it('writes no other batch before a key that changes during a write', async () => {
    given.put('blogs', ...blogs(5_000));
    const write = given.readModel.write.bind(given.readModel);
    const kinds: string[] = [];
    sinon.stub(given.readModel, 'write').callsFake(async (epoch, update) => {
      if (kinds.length === 1) given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
      kinds.push(update.slices[0]?.kind ?? 'none');
      return write(epoch, update);
    });
    await runToTheEnd();

    expect(kinds.indexOf('apiKeys')).to.equal(2);
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

    expect([await run(), await run(), await run()]).to.eql([4_000, 4_000, 0]);
    expect(await waitingKeys()).to.eql([]);
  });

  it('knows whether many changes wait', async () => {
    const runOnce = () => given.changes.run(given.epoch, 0);
    given.put('blogs', ...blogs(1_500));
    expect(await runOnce()).to.eql({ applied: 1_000, areManyWaiting: true });
    expect(await runOnce()).to.eql({ applied: 500, areManyWaiting: false });
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

  it('takes fewer changes after a read that fails', async () => {
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
    expect(await waitingKeys()).to.eql(['blog_2', 'blog_3', 'blog_4']);
    await runToTheEnd();
    expect(given.idsOf('blogs')).to.have.lengthOf(5);
  });
});
