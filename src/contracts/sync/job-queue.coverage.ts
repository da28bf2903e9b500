import { expect } from 'chai';
import { ALL_OF, type JobUpdate, type Scope } from '../../domain/model/job.js';
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
    async function keysOn(kind: Scope['kind']): Promise<(readonly string[])[]> {
      const keys: (readonly string[])[] = [];
      for (const { id, scope } of await jobQueue.unfinished([kind])) {
        keys.push('keys' in scope ? scope.keys.toSorted() : []);
        await update({ kind: 'finish', id });
      }
      expect(await jobQueue.next([kind])).to.equal(null);
      return keys;
    }

    for (const kind of WIDE) {
      it(`leaves out the keys of ${kind} that already wait, whichever job has them`, async () => {
        await add({ kind, keys: ['a', 'b'] });
        await add({ kind, keys: ['b', 'c'] });
        await add({ kind, keys: ['a', 'c'] });
        await add({ kind, keys: ['d', 'a', 'c', 'b', 'e'] });
        expect(await keysOn(kind)).to.deep.equal([['a', 'b'], ['c'], ['d', 'e']]);
      });

      it(`adds keys of ${kind} again after a job with them has begun`, async () => {
        await add({ kind, keys: ['a', 'b'] });
        await advance(jobIn(await jobQueue.next([kind])).id);
        await add({ kind, keys: ['b', 'c'] });
        await add({ kind, keys: ['a', 'b', 'c'] });
        expect(await keysOn(kind)).to.deep.equal([['a', 'b'], ['b', 'c'], ['a']]);
      });

      it(`adds keys of ${kind} again after a job with them is finished`, async () => {
        await add({ kind, keys: ['a'] });
        expect(await keysOn(kind)).to.deep.equal([['a']]);
        await add({ kind, keys: ['a'] });
        expect(await keysOn(kind)).to.deep.equal([['a']]);
      });

      it(`does not treat keys of another scope as keys of ${kind}, and adds nothing if there are no keys`, async () => {
        for (const other of WIDE) if (other !== kind) await add({ kind: other, keys: ['a'] });
        await add({ kind, keys: ['a'] });
        await add({ kind, keys: [] });
        for (const kind of WIDE) expect(await keysOn(kind), kind).to.deep.equal([['a']]);
        await add({ kind, keys: [] });
        expect(await keysOn(kind)).to.deep.equal([]);
      });
    }

    for (const kind of [...Object.values(ALL_OF), 'everything', 'reconcile'] as const) {
      it(`adds no second '${kind}' while one waits, and only one after it has begun`, async () => {
        await add({ kind });
        const { id } = jobIn(await jobQueue.next([kind]));
        await advance(id);
        await add({ kind });
        await add({ kind });
        expect(await keysOn(kind)).to.deep.equal([[], []]);
        await add({ kind });
        expect(await keysOn(kind)).to.deep.equal([[]]);
      });
    }

    for (const scope of [{ kind: 'tags', keys: ['a', 'b'] }, { kind: 'allBlogs' }] as const) {
      it(`joins a failing job of '${scope.kind}', which begins again at once`, async () => {
        await add(scope);
        const { id } = jobIn(await jobQueue.next([scope.kind]));
        await advance(id);
        await update({ kind: 'fail', id, error: 'no', retryAfterMs: 3_600_000 });
        expect(await jobQueue.next([scope.kind])).to.equal(null);
        await add(scope);
        expect(await jobQueue.next([scope.kind])).to.deep.equal({ id, scope, progress: null, attempts: 1 });
        expect(await jobQueue.unfinished([scope.kind])).to.have.length(1);
      });
    }

    it('leaves a failing job of other keys alone', async () => {
      await add({ kind: 'tags', keys: ['a'] });
      const { id } = jobIn(await jobQueue.next(['tags']));
      await advance(id);
      await update({ kind: 'fail', id, error: 'no', retryAfterMs: 3_600_000 });
      await add({ kind: 'tags', keys: ['b'] });
      expect(jobIn(await jobQueue.next(['tags'])).scope).to.deep.equal({ kind: 'tags', keys: ['b'] });
      expect(await jobQueue.find(id)).to.have.deep.property('progress', BEGUN);
    });

    it("does not let 'everything' or 'reconcile' cover other scopes or each other", async () => {
      await update({ kind: 'finish', id: jobIn(await jobQueue.next(['reconcile'])).id });
      await add({ kind: 'tags', keys: ['a'] }, { kind: 'reconcile' });
      expect(await keysOn('tags')).to.deep.equal([['a']]);
      expect(await keysOn('reconcile')).to.deep.equal([[]]);
    });

    it('applies the updates of one step in order', async () => {
      await add(
        { kind: 'tags', keys: ['a'] },
        { kind: 'tags', keys: ['a', 'b'] },
        { kind: 'websites', keys: ['a'] },
      );
      const reconciling = jobIn(await jobQueue.next(['reconcile']));
      await update({ kind: 'finish', id: reconciling.id }, { kind: 'add', scope: { kind: 'reconcile' } });
      expect(jobIn(await jobQueue.next(['reconcile'])).id).to.be.greaterThan(reconciling.id);
      const first = jobIn(await jobQueue.next(['tags']));
      await update(
        { kind: 'advance', id: first.id, progress: BEGUN },
        { kind: 'add', scope: { kind: 'tags', keys: ['a', 'b'] } },
      );
      expect(await keysOn('tags')).to.deep.equal([['a'], ['b'], ['a']]);
      expect(await keysOn('websites')).to.deep.equal([['a']]);
    });
  });
}
