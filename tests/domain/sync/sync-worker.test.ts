import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryLeadership } from '../../../src/adapters/memory/memory-leadership.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { ApplyChanges } from '../../../src/domain/sync/apply-changes.js';
import { RunNextJob } from '../../../src/domain/sync/run-next-job.js';
import { StepSize } from '../../../src/domain/sync/step-size.js';
import { SyncWorker } from '../../../src/domain/sync/sync-worker.js';
import { aLinkedTag, aSourceTag } from '../../support/dashboards/source-terms.js';
import { toTheEnd, WorkerUnderTest } from '../../support/sync/worker-under-test.js';

describe('SyncWorker', () => {
  let given: WorkerUnderTest;

  const step = () => given.worker.step(given.epoch);
  const isRevoked = () => given.readModel.rows('apiKeys')[0]?.revokedAt === 1;
  const stepsUntil = async (isTrue: () => boolean) => {
    let steps = 0;
    await toTheEnd(async () => {
      if (isTrue()) return false;
      steps++;
      await step();
      return true;
    });
    return steps;
  };
  const blogs = (count: number, title: string) =>
    Array.from({ length: count }, (_, n) =>
      aSourceBlog({ id: `blog_${n}`, title, tags: [aLinkedTag({ id: 'tag', name: title })] }),
    );
  const titles = () => new Set(given.readModel.rows('blogs').map(({ title }) => title));

  beforeEach(() => {
    given = new WorkerUnderTest();
    given.source.put('apiKeys', aKey({ id: 'key' }));
    for (const blog of blogs(1000, 'Old')) given.source.put('blogs', blog);
  });

  it('is not considered frozen while it has nothing to write and no step of the check is possible', async () => {
    const leaderTimeoutMs = 10_000;
    const standby = new MemoryLeadership(given.readModel.lead, leaderTimeoutMs);
    // Read tables that were never filled are not checked.
    expect(await given.list.count('everything')).to.equal(1);
    for (let n = 0; n < 3; n++) {
      given.clock.advance(leaderTimeoutMs * 0.7);
      await given.worker.reconcileNextStep(given.epoch);
      expect(await standby.claim()).to.equal(null);
    }
  });

  it('applies changes before a step of the check: an edit waits for at most one step', async () => {
    await given.settle();
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    const checked = sinon.stub(given.check, 'run').callsFake(async () => {
      expect(isRevoked()).to.equal(true);
      return 0;
    });
    await given.worker.reconcileNextStep(given.epoch);

    expect(checked.callCount).to.equal(1);
  });

  it('writes once for a step of the check, which also proves that it is the leader', async () => {
    await given.settle();
    const write = sinon.spy(given.readModel, 'write');
    await given.worker.reconcileNextStep(given.epoch);

    expect(write.callCount).to.equal(1);
  });

  it('takes fewer rows after aborted steps, even after a restart, and more again later', async () => {
    const size = new StepSize();
    const { feed, list, update, metrics, log, source, attempt, check, pace } = given;
    const read = sinon.stub(feed, 'read');
    read.onCall(0).rejects(new Error('frozen'));
    // This read never ends. The caller has stopped waiting.
    read.onCall(1).returns(new Promise(() => {}));
    read.callThrough();
    const worker = () =>
      new SyncWorker(
        new ApplyChanges(feed, list, update, metrics, log, () => true, given.clock, size),
        new RunNextJob(list, source, attempt, pace, size),
        check,
        update,
        pace,
        size,
      );
    await worker()
      .step(given.epoch)
      .catch(() => {});
    void worker().step(given.epoch);
    await eventually(() => expect(read.callCount).to.equal(2));
    const last = worker();
    for (let step = 0; step < 4; step++) await last.step(given.epoch);

    expect(read.args.map(([limit]) => limit)).to.eql([1_000, 500, 250, 500, 1_000, 1_000]);
  });

  it('fills empty read tables, and then reports that there is nothing to do', async () => {
    await given.settle();

    expect(given.idsOf('blogs')).to.have.lengthOf(1000);
    expect(await step()).to.equal(false);
  });

  it('reports that there is something to do while changes or their fan-out wait', async () => {
    await given.settle();
    for (const blog of blogs(1000, 'New')) given.source.put('blogs', blog);
    given.put('tags', aSourceTag({ id: 'tag' }));

    expect(await step()).to.equal(true);
    expect([...titles()]).to.eql(['Old']);
    await given.settle();
    expect([...titles()]).to.eql(['New']);
    expect(await given.waitingChanges()).to.eql([]);
  });

  it('never reports that there is nothing to do while changes wait', async () => {
    await given.settle();
    given.put('blogs', ...blogs(1000, 'New'));
    while ((await given.waitingChanges()).length > 0) expect(await step()).to.equal(true);

    expect(await step()).to.equal(false);
  });

  it('applies a change that is committed while it has nothing to do', async () => {
    await given.settle();
    given.put('blogs', aSourceBlog({ id: 'blog_0', title: 'New' }));

    expect(await step()).to.equal(true);
    expect([...titles()]).to.include('New');
    await given.settle();
    expect(await step()).to.equal(false);
  });

  it('revokes a key with the next step during a rebuild', async () => {
    await given.settle();
    await given.list.requestEverything();
    const passed: (number | undefined)[] = [];
    await toTheEnd(async () => {
      await step();
      for (const revokedAt of [1, null]) {
        given.put('apiKeys', aKey({ id: 'key', revokedAt }));
        await step();
        expect(isRevoked()).to.equal(revokedAt === 1);
      }
      const everything = await given.list.next(['everything']);
      passed.push(everything?.progress?.stage);
      return everything !== null;
    });

    expect(new Set(passed).size, 'stages at which keys were revoked').to.be.above(5);
  });

  it('deletes all keys within several steps during a rebuild, even if the change names none of them', async () => {
    await given.settle();
    for (let n = 0; n < 5_000; n++) given.source.put('apiKeys', aKey({ id: `key_${n}`, hash: `hash_${n}` }));
    await given.list.requestEverything();
    await given.settle();
    await given.list.requestEverything();
    await step();
    for (const id of given.idsOf('apiKeys')) given.source.remove('apiKeys', id);
    given.feed.add('apiKeys', null);
    given.put('blogs', ...blogs(1000, 'New'));
    const left: number[] = [];
    await stepsUntil(() => left.push(given.idsOf('apiKeys').length) > 0 && left.at(-1) === 0);

    // Batches of changes and steps for the keys take turns.
    expect(left).to.have.lengthOf.within(4, 8);
    const passed = (await given.list.next(['everything']))?.progress;
    expect(passed).to.include({ stage: 0 });
  });

  it('reads all keys again before the rest if it is unknown what has changed', async () => {
    await given.settle();
    await given.list.requestEverything();
    await step();
    given.source.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    given.feed.add('everything', null);

    expect(await stepsUntil(isRevoked)).to.be.most(4);
    expect((await given.list.next(['everything']))?.progress?.stage).to.be.below(2);
  });

  it('revokes a key with the next step during a fan-out', async () => {
    await given.settle();
    given.put('tags', aSourceTag({ id: 'tag' }));
    await step();
    await step();
    const { progress } = (await given.list.next(['tags'])) ?? {};
    expect(progress).to.include({ done: 500 });
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    await stepsUntil(isRevoked);

    expect((await given.list.next(['tags']))?.progress?.done).to.be.most(500);
  });

  it('revokes a key with the next step while thousands of other changes wait', async () => {
    await given.settle();
    given.put('blogs', ...blogs(5000, 'New'));
    const write = given.readModel.write.bind(given.readModel);
    sinon.stub(given.readModel, 'write').callsFake((epoch, update) => {
      given.clock.advance(3_000);
      return write(epoch, update);
    });
    await step();
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));

    expect(await stepsUntil(isRevoked)).to.equal(1);
    expect(await given.waitingChanges()).to.have.lengthOf(3000);
  });

  it('finishes long jobs even if changes never end', async () => {
    await given.settle();
    await given.list.requestEverything();
    let steps = 0;
    for (; (await given.list.next(['everything'])) !== null; steps++) {
      given.put('blogs', aSourceBlog({ id: 'blog_0', title: `Version ${steps}` }));
      await step();
      expect([...titles()]).to.include(`Version ${steps}`);
      expect(steps, 'steps').to.be.below(100);
    }
  });

  it('reconciles only when it is called, step by step', async () => {
    await given.settle();
    expect((await given.list.next(['check']))?.progress).to.equal(null);
    await given.worker.reconcileNextStep(given.epoch);

    expect((await given.list.next(['check']))?.progress).to.include({ stage: 0, after: 'key' });
  });
});
