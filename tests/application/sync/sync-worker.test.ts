import { expect } from 'chai';
import sinon from 'sinon';
import { ApplyChanges } from '../../../src/application/sync/apply-changes.js';
import { SyncWorker } from '../../../src/application/sync/sync-worker.js';
import { MemoryLeadership } from '../../../src/contracts/fakes/memory-leadership.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../src/contracts/support/source-rows.js';
import { aLinkedTag, aSourceTag } from './source-terms.js';
import { toTheEnd, WorkerUnderTest } from './worker-under-test.js';

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

  it('is not considered frozen while it has nothing to write', async () => {
    const leaderTimeoutMs = 10_000;
    const standby = new MemoryLeadership(given.readModel.lead, leaderTimeoutMs);
    // Read tables that were never filled are not checked.
    expect(await given.jobs.unfinished(['everything'])).to.have.lengthOf(1);
    for (let n = 0; n < 3; n++) {
      given.clock.advance(leaderTimeoutMs * 0.7);
      await given.worker.beat(given.epoch);
      expect(await standby.claim(null)).to.equal(null);
    }
  });

  it('applies changes before it reconciles: an edit waits for at most one step', async () => {
    await given.settle();
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    const checked = sinon.stub(given.jobTurns, 'reconcile').callsFake(async () => {
      expect(isRevoked()).to.equal(true);
      return 0;
    });
    await given.worker.reconcileNextStep(given.epoch);

    expect(checked.callCount).to.equal(1);
  });

  it('takes fewer changes after aborted steps, even after a restart, and more again later', async () => {
    const { feed, update, failed, jobTurns, retries, clock, size } = given;
    sinon.stub(failed, 'requireServers').callsFake((error) => {
      throw error;
    });
    const read = sinon.stub(feed, 'read');
    read.onCall(0).rejects(new Error('frozen'));
    // This read never ends. The caller has stopped waiting.
    read.onCall(1).returns(new Promise(() => {}));
    read.callThrough();
    const worker = () => {
      const changes = new ApplyChanges(feed, update, failed, clock, size);
      return new SyncWorker(changes, jobTurns, retries, update, clock);
    };
    await worker()
      .step(given.epoch)
      .catch(() => {});
    void worker().step(given.epoch);
    await eventually(() => expect(read.callCount).to.equal(2));
    const last = worker();
    for (let step = 0; step < 20; step++) await last.step(given.epoch);

    const limits = read.args.map(([limit]) => limit);
    expect(limits.slice(0, 3)).to.eql([1_000, 500, 250]);
    expect(limits.at(-1)).to.equal(1_000);
  });

  it('reconciles fewer rows after an aborted step of it, however many other steps succeed', async () => {
    await given.settle();
    const step = sinon.stub(given.jobStep, 'take').callThrough();
    // This step never ends. The caller has stopped waiting.
    step.onFirstCall().returns(new Promise(() => {}));
    void given.worker.reconcileNextStep(given.epoch);
    await eventually(() => expect(step.callCount).to.equal(1));
    given.put('tags', aSourceTag({ id: 'tag' }));
    await given.settle();
    for (let n = 0; n < 2; n++) await given.worker.reconcileNextStep(given.epoch);

    const reconciled = step.args.filter(([, { scope }]) => scope.kind === 'reconcile');
    expect(reconciled.map(([, , , { rows }]) => rows)).to.eql([100, 50, 25]);
  });

  it('reports that there is something to do while changes or their fan-out wait', async () => {
    await given.settle();
    for (const blog of blogs(1000, 'New')) given.source.put('blogs', blog);
    given.put('tags', aSourceTag({ id: 'tag' }));

    expect(await step()).to.equal(true);
    expect([...titles()]).to.eql(['New', 'Old']);
    await given.settle();
    expect([...titles()]).to.eql(['New']);
    expect(await given.waitingChanges()).to.eql([]);
  });

  it('revokes a key with the next step during a rebuild', async () => {
    for (const blog of blogs(3000, 'Old')) given.source.put('blogs', blog);
    given.source.put('categories', aSourceCategory({ id: 'category' }));
    given.source.put('tags', aSourceTag({ id: 'tag' }));
    await given.settle();
    await given.jobs.requestEverything();
    const passed: (number | undefined)[] = [];
    await toTheEnd(async () => {
      await step();
      for (const revokedAt of [1, null]) {
        given.put('apiKeys', aKey({ id: 'key', revokedAt }));
        await step();
        expect(isRevoked()).to.equal(revokedAt === 1);
      }
      const everything = await given.jobs.next(['everything']);
      passed.push(everything?.progress?.stage);
      return everything !== null;
    });

    expect(new Set(passed).size, 'stages at which keys were revoked').to.be.above(5);
  });

  it('deletes all keys within several steps during a rebuild, even if the change names none of them', async () => {
    await given.settle();
    for (let n = 0; n < 5_000; n++) given.source.put('apiKeys', aKey({ id: `key_${n}`, hash: `hash_${n}` }));
    await given.jobs.requestEverything();
    await given.settle();
    await given.jobs.requestEverything();
    await step();
    for (const id of given.idsOf('apiKeys')) given.source.remove('apiKeys', id);
    given.feed.add('apiKeys', null);
    given.put('blogs', ...blogs(1000, 'New'));
    const left: number[] = [];
    await stepsUntil(() => left.push(given.idsOf('apiKeys').length) > 0 && left.at(-1) === 0);

    // Batches of changes and steps for the keys take turns.
    expect(left).to.have.lengthOf.within(3, 8);
    const passed = (await given.jobs.next(['everything']))?.progress;
    expect(passed).to.include({ stage: 0 });
  });

  it('reads all keys again before the rest if it is unknown what has changed', async () => {
    await given.settle();
    await given.jobs.requestEverything();
    await step();
    given.source.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));
    given.feed.add('everything', null);

    expect(await stepsUntil(isRevoked)).to.be.most(4);
    expect((await given.jobs.next(['everything']))?.progress?.stage).to.be.below(2);
  });

  it('revokes a key with the next step during a fan-out', async () => {
    await given.settle();
    given.put('tags', aSourceTag({ id: 'tag' }));
    await step();
    const { progress } = (await given.jobs.next(['tags'])) ?? {};
    expect(progress).to.include({ done: 500 });
    given.put('apiKeys', aKey({ id: 'key', revokedAt: 1 }));

    expect(await stepsUntil(isRevoked)).to.equal(1);
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

  it('gives a job step 30 ms while edits arrive, 240 ms while many changes wait, and otherwise a second', async () => {
    await given.settle();
    const targets: number[] = [];
    const run = async (_: number, targetMs: number) => targets.push(targetMs) > 0;
    sinon.stub(given.jobTurns, 'step').callsFake(run);
    sinon.stub(given.jobTurns, 'reconcile').callsFake(async (...args) => Number(await run(...args)));
    const bothSteps = async () => {
      await given.worker.step(given.epoch);
      await given.worker.reconcileNextStep(given.epoch);
      return targets.splice(0);
    };

    expect(await bothSteps()).to.eql([1_000, 1_000]);
    given.put('blogs', aSourceBlog({ id: 'blog_0', title: 'New' }));
    expect(await bothSteps(), 'after an edit: its own jobs').to.eql([1_000, 1_000]);
    given.put('blogs', aSourceBlog({ id: 'blog_0', title: 'Newer' }));
    expect(await bothSteps(), 'after another one').to.eql([30, 30]);
    given.clock.advance(9_999);
    expect(await bothSteps()).to.eql([30, 30]);
    given.clock.advance(1);
    expect(await bothSteps()).to.eql([1_000, 1_000]);
    given.put('blogs', ...blogs(1000, 'New'), ...blogs(1000, 'New'), ...blogs(1000, 'New'));
    const write = sinon.stub(given.readModel, 'write').callsFake(async () => {
      given.clock.advance(3_000);
      return { changedRows: 0, raised: [] };
    });
    await step();
    expect(targets.splice(0), 'while a thousand wait').to.eql([240]);
    write.restore();
    await step();
    await step();
    targets.splice(0);
    expect(await bothSteps(), 'when none waits any more').to.eql([30, 30]);
  });

  it('finishes long jobs even if changes never end', async () => {
    await given.settle();
    await given.jobs.requestEverything();
    let steps = 0;
    for (; (await given.jobs.next(['everything'])) !== null; steps++) {
      given.put('blogs', aSourceBlog({ id: 'blog_0', title: `Version ${steps}` }));
      await step();
      expect([...titles()]).to.include(`Version ${steps}`);
      expect(steps, 'steps').to.be.below(100);
    }
  });

  it('gives a job a step after every three seconds of changes that never end', async () => {
    await given.settle();
    given.put('tags', aSourceTag({ id: 'tag' }));
    await given.applyChanges();
    const write = given.readModel.write.bind(given.readModel);
    sinon.stub(given.readModel, 'write').callsFake((epoch, update) => {
      given.clock.advance(1_000);
      return write(epoch, update);
    });
    given.put('blogs', ...Array.from({ length: 5 }, () => blogs(1000, 'New')).flat());
    await step();

    expect(await given.waitingChanges()).to.have.lengthOf(1_000);
    expect((await given.jobs.next(['tags']))?.progress).to.include({ done: 500 });
  });
});
