import { expect } from 'chai';
import sinon from 'sinon';
import { RepeatedTask } from '../../../src/adapters/system/repeated-task.js';
import { Gate } from '../../support/clock/gate.js';
import { settlesWithin } from '../../support/clock/settles-within.js';

describe('RepeatedTask', () => {
  const log = { debug: sinon.fake(), info: sinon.fake(), warn: sinon.fake(), error: sinon.fake() };
  let clock: sinon.SinonFakeTimers;

  const repeated = (task: () => Promise<void>) => new RepeatedTask('a task', 1000, task, log);

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const fake of Object.values(log)) fake.resetHistory();
  });
  afterEach(() => clock.restore());

  it('runs once at its start, again after each pause, and not after it was stopped', async () => {
    const task = sinon.fake.resolves(undefined);
    const upkeep = repeated(task);
    await upkeep.start();
    expect(task.callCount).to.equal(1);
    await clock.tickAsync(3000);
    expect(task.callCount).to.equal(4);

    await upkeep.stop();
    await clock.tickAsync(10_000);
    expect(task.callCount).to.equal(4);
    expect(clock.countTimers()).to.equal(0);
  });

  it('never runs twice at once, however long it takes', async () => {
    let running = 0;
    let most = 0;
    const gate = new Gate();
    const upkeep = repeated(async () => {
      most = Math.max(most, ++running);
      await gate.wait();
      running--;
    });
    const started = upkeep.start();
    await clock.tickAsync(10_000);
    gate.open();
    await started;
    await clock.tickAsync(10_000);

    expect(most).to.equal(1);
    await upkeep.stop();
  });

  it('stops even if a run takes longer than the pause', async () => {
    const gate = new Gate();
    const task = sinon.fake(() => gate.wait());
    const upkeep = repeated(task);
    const started = upkeep.start();
    await clock.tickAsync(1500);
    const stopped = upkeep.stop();
    expect(await settlesWithin(stopped, 10)).to.equal(false);
    gate.open();
    await Promise.all([started, stopped]);
    const done = task.callCount;
    await clock.tickAsync(10_000);

    expect(task.callCount).to.equal(done);
    expect(clock.countTimers()).to.equal(0);
  });

  it('starts even if its first runs fail, and logs the first failure and that it works again', async () => {
    const task = sinon.stub().resolves();
    for (const call of [0, 1, 2]) task.onCall(call).rejects(new Error('away'));
    const upkeep = repeated(task);
    await upkeep.start();
    await clock.tickAsync(5000);

    expect([log.warn.callCount, log.info.callCount]).to.eql([1, 1]);
    expect(log.warn.calledBefore(log.info)).to.equal(true);
    await upkeep.stop();
  });
});
