import { expect } from 'chai';
import type { JobUpdate, Scope } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Runner } from '../runner.js';
import { BEGUN, type JobQueueSubject, jobIn, updateUnderLead, WIDE } from './job-queue.subject.js';

/** The part of the contract about jobs that are already queued. */
export function itSkipsCoveredJobs(runner: Runner, makeSubject: () => Promise<JobQueueSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('given a job that is already queued,', () => {
    let jobQueue: JobQueue;
    let update: (...jobs: readonly JobUpdate[]) => Promise<void>;

    beforeEach(async () => {
      const given = await makeSubject();
      jobQueue = given.subject;
      update = await updateUnderLead(given);
    });

    const add = (...scopes: readonly Scope[]) =>
      update(...scopes.map((scope) => ({ kind: 'add', scope }) as const));
    const advance = (id: number) => update({ kind: 'advance', id, progress: BEGUN });

    /** The keys of each job of a scope, oldest first. Finishes these jobs on the way. */
    async function keysOn(of: Scope['of']): Promise<(readonly string[])[]> {
      const keys: (readonly string[])[] = [];
      const finished: number[] = [];
      for (let job = await jobQueue.next([of]); job !== null; job = await jobQueue.next([of])) {
        // A job that returns after it is finished would make this loop endless.
        expect(finished).not.to.include(job.id);
        keys.push('keys' in job.scope ? job.scope.keys.toSorted() : []);
        await update({ kind: 'finish', id: job.id });
        finished.push(job.id);
      }
      return keys;
    }

    for (const of of WIDE) {
      it(`leaves out the keys of ${of} that already wait, whichever job has them`, async () => {
        await add({ of, keys: ['a', 'b'] });
        await add({ of, keys: ['b', 'c'] });
        await add({ of, keys: ['a', 'c'] });
        await add({ of, keys: ['d', 'a', 'c', 'b', 'e'] });
        expect(await keysOn(of)).to.deep.equal([['a', 'b'], ['c'], ['d', 'e']]);
      });

      it(`adds keys of ${of} again after a job with them has begun`, async () => {
        await add({ of, keys: ['a', 'b'] });
        await advance(jobIn(await jobQueue.next([of])).id);
        await add({ of, keys: ['b', 'c'] });
        await add({ of, keys: ['a', 'b', 'c'] });
        expect(await keysOn(of)).to.deep.equal([['a', 'b'], ['b', 'c'], ['a']]);
      });

      it(`adds keys of ${of} again after a job with them is finished`, async () => {
        await add({ of, keys: ['a'] });
        expect(await keysOn(of)).to.deep.equal([['a']]);
        await add({ of, keys: ['a'] });
        expect(await keysOn(of)).to.deep.equal([['a']]);
      });

      it(`does not treat keys of another scope as keys of ${of}, and adds nothing if there are no keys`, async () => {
        for (const other of WIDE) if (other !== of) await add({ of: other, keys: ['a'] });
        await add({ of, keys: ['a'] });
        await add({ of, keys: [] });
        for (const kind of WIDE) expect(await keysOn(kind), kind).to.deep.equal([['a']]);
        await add({ of, keys: [] });
        expect(await keysOn(of)).to.deep.equal([]);
      });
    }

    for (const of of ['apiKeys', 'everything', 'check'] as const) {
      it(`adds no second '${of}' while one waits, and only one after it has begun`, async () => {
        await add({ of });
        const { id } = jobIn(await jobQueue.next([of]));
        await advance(id);
        await add({ of });
        await add({ of });
        expect(await keysOn(of)).to.deep.equal([[], []]);
        await add({ of });
        expect(await keysOn(of)).to.deep.equal([[]]);
      });
    }

    it("does not let 'everything' or 'check' cover other scopes or each other", async () => {
      await update({ kind: 'finish', id: jobIn(await jobQueue.next(['check'])).id });
      await add({ of: 'tags', keys: ['a'] }, { of: 'check' });
      expect(await keysOn('tags')).to.deep.equal([['a']]);
      expect(await keysOn('check')).to.deep.equal([[]]);
    });

    it('applies the updates of one step in order', async () => {
      await add(
        { of: 'tags', keys: ['a'] },
        { of: 'tags', keys: ['a', 'b'] },
        { of: 'websites', keys: ['a'] },
      );
      const check = jobIn(await jobQueue.next(['check']));
      await update({ kind: 'finish', id: check.id }, { kind: 'add', scope: { of: 'check' } });
      expect(jobIn(await jobQueue.next(['check'])).id).to.be.greaterThan(check.id);
      const first = jobIn(await jobQueue.next(['tags']));
      await update(
        { kind: 'advance', id: first.id, progress: BEGUN },
        { kind: 'add', scope: { of: 'tags', keys: ['a', 'b'] } },
      );
      expect(await keysOn('tags')).to.deep.equal([['a'], ['b'], ['a']]);
      expect(await keysOn('websites')).to.deep.equal([['a']]);
    });
  });
}
