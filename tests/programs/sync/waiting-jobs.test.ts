import { expect } from 'chai';
import { MemoryJobQueue } from '../../../src/contracts/fakes/memory-job-queue.js';
import type { Job, Scope } from '../../../src/domain/model/job.js';
import { jobsInQueue } from '../../../src/programs/sync/sync-once.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

/** Another worker changes the queue while this one reads it. */
class BusyJobQueue extends MemoryJobQueue {
  beforeNext = () => {};

  override next(...lanes: readonly (readonly Scope['of'][])[]): Promise<Job | null> {
    this.beforeNext();
    return super.next(...lanes);
  }
}

describe('Work in the job queue of an extension', () => {
  let list: BusyJobQueue;
  let id: number;

  beforeEach(async () => {
    list = new BusyJobQueue(new SettableClock());
    id = await list.requestEverything();
  });

  const waitReason = () => jobsInQueue(list).waitReason(id);
  const fail = () => list.update({ kind: 'fail', id, error: 'no', retryAfterMs: 1_000 });

  it('does not wait while one of its jobs can continue', async () => {
    expect(await waitReason()).to.equal(null);
  });

  it('waits if each job waits for its next retry', async () => {
    fail();
    expect(await waitReason()).to.match(/next retry/);
  });

  it('does not wait if another worker finishes it in the meantime', async () => {
    list.beforeNext = () => list.update({ kind: 'finish', id });
    expect(await waitReason()).to.equal(null);
  });

  it('does not wait if another worker finishes it and later work is next', async () => {
    list.beforeNext = () => {
      list.update({ kind: 'finish', id });
      list.update({ kind: 'add', scope: { of: 'apiKeys' } });
    };
    expect(await waitReason()).to.equal(null);
  });

  it('waits if one job is finished in the meantime and another one waits', async () => {
    fail();
    list.update({ kind: 'add', scope: { of: 'apiKeys' } });
    const [, other] = await list.unfinished(['everything', 'apiKeys']);
    const last = Number(other?.id);
    list.beforeNext = () => list.update({ kind: 'finish', id: last });
    expect(await jobsInQueue(list).waitReason(last)).to.match(/next retry/);
  });
});
