import { expect } from 'chai';
import type { JobUpdate } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Runner } from '../runner.js';
import { BEGUN, type JobQueueSubject, jobIn, updateUnderLead } from './job-queue.subject.js';

const LATER = 3_600_000;

/** The part of the job queue's contract about failed jobs. */
export function itRecordsFailures(runner: Runner, makeSubject: () => Promise<JobQueueSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('given failing jobs,', () => {
    let jobQueue: JobQueue;
    let update: (...jobs: readonly JobUpdate[]) => Promise<void>;

    beforeEach(async () => {
      const given = await makeSubject();
      jobQueue = given.subject;
      update = await updateUnderLead(given);
    });

    const add = (key: string) => update({ kind: 'add', scope: { kind: 'tags', keys: [key] } });
    const next = async () => jobIn(await jobQueue.next(['tags']));
    const fail = (id: number, retryAfterMs: number) =>
      update({ kind: 'fail', id, error: 'value out of range', retryAfterMs });

    it('counts failures, and subtracts one for each success', async () => {
      await add('t');
      const job = await next();
      for (let attempts = 1; attempts <= 3; attempts++) {
        await fail(job.id, 0);
        expect(await next()).to.deep.equal({ ...job, attempts });
      }
      for (const attempts of [2, 1, 0, 0]) {
        await update({ kind: 'advance', id: job.id, progress: BEGUN });
        expect(await next()).to.deep.equal({ ...job, progress: BEGUN, attempts });
      }
    });

    it('returns other jobs while one waits for its retry, and keeps that one', async () => {
      await add('first');
      const first = await next();
      await fail(first.id, LATER);
      expect(await jobQueue.next(['tags'])).to.equal(null);
      await update({ kind: 'add', scope: { kind: 'tags', keys: ['second'] } });
      const second = await next();
      expect(second.scope).to.deep.equal({ kind: 'tags', keys: ['second'] });
      expect(await jobQueue.find(first.id)).to.deep.equal({ ...first, attempts: 1 });
      expect(await jobQueue.unfinished(['tags'])).to.have.length(2);
      await update({ kind: 'finish', id: second.id });
      expect(await jobQueue.unfinished(['tags'])).to.have.length(1);
      expect(await jobQueue.next(['tags'])).to.equal(null);
    });

    it('ends the waits of all of them on request, and not their counts of failures', async () => {
      for (const key of ['first', 'second']) {
        await add(key);
        await fail((await next()).id, LATER);
      }
      expect(await jobQueue.next(['tags'])).to.equal(null);
      await jobQueue.retryWaiting();
      const first = await next();
      expect([first.scope, first.attempts]).to.deep.equal([{ kind: 'tags', keys: ['first'] }, 1]);
      await update({ kind: 'finish', id: first.id });
      expect((await next()).attempts).to.equal(1);
    });

    it('continues a rebuild that waits for its retry when one is requested', async () => {
      const { id } = jobIn(await jobQueue.next(['everything']));
      await fail(id, LATER);
      expect(await jobQueue.requestEverything()).to.equal(id);
    });
  });
}
