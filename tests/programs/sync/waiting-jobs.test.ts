import { expect } from 'chai';
import { MemoryJobQueue } from '../../../src/contracts/fakes/memory-job-queue.js';
import { MemoryUnshownRows } from '../../../src/contracts/fakes/memory-unshown-rows.js';
import type { Job, Scope } from '../../../src/domain/model/job.js';
import { areFinished } from '../../../src/programs/sync/sync-once.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

/** Another worker changes the queue after this one has asked for the next job. */
class BusyJobQueue extends MemoryJobQueue {
  afterNext = () => {};

  override async next(...lanes: readonly (readonly Scope['kind'][])[]): Promise<Job | null> {
    const job = await super.next(...lanes);
    this.afterNext();
    return job;
  }
}

describe('A command that waits for jobs', () => {
  let jobs: BusyJobQueue;
  let id: number;

  beforeEach(async () => {
    const clock = new SettableClock();
    jobs = new BusyJobQueue(clock, new MemoryUnshownRows(clock));
    id = await jobs.requestEverything();
  });

  const fail = () => jobs.update({ kind: 'fail', id, error: 'no', retryAfterMs: 1_000 });
  const outcome = () => areFinished(jobs, id).catch(({ message }: Error) => message);

  it('waits while one of them can continue, and not for later ones', async () => {
    expect(await outcome()).to.equal(false);
    jobs.update({ kind: 'add', scope: { kind: 'apiKeys' } });
    jobs.update({ kind: 'finish', id });
    expect(await outcome()).to.equal(true);
  });

  it('fails if each waits for its next retry', async () => {
    fail();
    jobs.update({ kind: 'add', scope: { kind: 'apiKeys' } });
    expect(await outcome()).to.match(/remaining jobs fail/);
  });

  it('ends if another worker finishes a failing one in the meantime', async () => {
    fail();
    jobs.afterNext = () => jobs.update({ kind: 'finish', id });
    expect(await outcome()).to.equal(true);
  });
});
