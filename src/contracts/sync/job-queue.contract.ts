import { expect } from 'chai';
import type { Job, JobUpdate, Scope } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import { itSkipsCoveredJobs } from './job-queue.coverage.js';
import { itRecordsFailures } from './job-queue.failures.js';
import { BEGUN, type JobQueueSubject, jobIn, updateUnderLead, WIDE } from './job-queue.subject.js';

export function jobQueueContract(
  runner: Runner,
  Adapter: AdapterClass<JobQueue>,
  makeSubject: () => Promise<JobQueueSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a queue of jobs,`, () => {
    let jobQueue: JobQueue;
    let update: (...jobs: readonly JobUpdate[]) => Promise<void>;

    beforeEach(async () => {
      const given = await makeSubject();
      jobQueue = given.subject;
      update = await updateUnderLead(given);
    });

    const add = (scope: Scope) => update({ kind: 'add', scope });
    const finish = (id: number) => update({ kind: 'finish', id });
    const next = async (scopes: readonly Scope['kind'][]) => jobIn(await jobQueue.next(scopes));

    itIsTestedItself(runner, Adapter, () => jobQueue);

    it('begins with everything, and then reconciles', async () => {
      const all = [...WIDE, 'reconcile', 'everything'] as const;
      expect(await jobQueue.next(WIDE)).to.equal(null);
      const first = await next(all);
      expect(first).to.deep.equal({
        id: first.id,
        scope: { kind: 'everything' },
        progress: null,
        attempts: 0,
      });
      const reconciling = await next(['reconcile']);
      expect(reconciling).to.deep.equal({
        id: reconciling.id,
        scope: { kind: 'reconcile' },
        progress: null,
        attempts: 0,
      });
      await finish(first.id);
      expect(await next(all)).to.deep.equal(reconciling);
      await finish(reconciling.id);
      expect(await jobQueue.next(all)).to.equal(null);
    });

    it('has no job if no scope is given', async () => {
      expect(await jobQueue.next([])).to.equal(null);
    });

    it('returns the oldest job of the given scopes until it is finished', async () => {
      const scopes: readonly Scope[] = [
        { kind: 'tags', keys: ['t1'] },
        { kind: 'websites', keys: ['w1'] },
        { kind: 'categories', keys: ['c1'] },
        { kind: 'tags', keys: ['t2'] },
        { kind: 'websites', keys: ['w2'] },
      ];
      for (const scope of scopes) await add(scope);
      expect((await next(['websites'])).scope).to.deep.equal(scopes[1]);
      expect((await next(['categories', 'websites'])).scope).to.deep.equal(scopes[1]);
      for (const scope of scopes) {
        const job = await next(WIDE);
        expect(job.scope).to.deep.equal(scope);
        expect(await next(WIDE)).to.deep.equal(job);
        await finish(job.id);
      }
      expect(await jobQueue.next(WIDE)).to.equal(null);
      expect((await next(['everything', ...WIDE])).scope).to.deep.equal({ kind: 'everything' });
    });

    it('returns the oldest job of the first lane that has one', async () => {
      for (const key of ['1', '2']) {
        for (const kind of WIDE) await add({ kind, keys: [key] });
      }
      const first = async (...lanes: readonly (readonly Scope['kind'][])[]) =>
        jobIn(await jobQueue.next(...lanes)).scope;
      expect(await first(['tags'], ['categories', 'websites'])).to.deep.equal({ kind: 'tags', keys: ['1'] });
      expect(await first(['apiKeys'], ['websites'], ['tags'])).to.deep.equal({
        kind: 'websites',
        keys: ['1'],
      });
      expect(await first([], ['apiKeys'], ['everything', 'tags'])).to.deep.equal({ kind: 'everything' });
      const { id } = await next(['websites']);
      await update({ kind: 'fail', id, error: 'no', retryAfterMs: 60_000 });
      expect(await first(['websites'], ['tags'])).to.deep.equal({ kind: 'websites', keys: ['2'] });
      expect(await jobQueue.next(['apiKeys'])).to.equal(null);
      expect(await jobQueue.next()).to.equal(null);
    });

    it('gives each job its turn: the one whose last step is longest ago', async () => {
      for (const key of ['1', '2', '3']) await add({ kind: 'tags', keys: [key] });
      const turns: unknown[] = [];
      for (let turn = 0; turn < 6; turn++) {
        const { id, scope } = await next(['tags', 'categories']);
        turns.push('keys' in scope && scope.keys[0]);
        await update({ kind: 'advance', id, progress: BEGUN });
      }
      expect(turns).to.deep.equal(['1', '2', '3', '1', '2', '3']);
    });

    it('runs no second job of a scope without keys beside the first one', async () => {
      const { id } = await next(['everything']);
      await update({ kind: 'advance', id, progress: BEGUN });
      await add({ kind: 'everything' });
      expect(await next(['everything'])).to.include({ id });
    });

    it('returns all unfinished jobs of the given scopes, begun or not, oldest first', async () => {
      const scopes: readonly Scope[] = [
        { kind: 'tags', keys: ['t1'] },
        { kind: 'apiKeys' },
        { kind: 'websites', keys: ['w1'] },
      ];
      for (const scope of scopes) await add(scope);
      const { id } = await next(['tags']);
      await update({ kind: 'advance', id, progress: BEGUN });
      await add({ kind: 'tags', keys: ['t1'] });
      const unfinished = async (kinds: readonly Scope['kind'][]) =>
        (await jobQueue.unfinished(kinds)).map(({ scope }) => scope);
      expect(await unfinished(WIDE)).to.deep.equal([scopes[0], scopes[2], scopes[0]]);
      expect((await jobQueue.unfinished(['tags']))[0]).to.deep.equal(await jobQueue.find(id));
      expect(await unfinished(['apiKeys', 'everything'])).to.deep.equal([{ kind: 'everything' }, scopes[1]]);
      await finish(id);
      expect(await unfinished(WIDE)).to.deep.equal([scopes[2], scopes[0]]);
      expect(await jobQueue.unfinished([])).to.deep.equal([]);
    });

    it('keeps all keys of a job exactly', async () => {
      for (const kind of WIDE) {
        await add({ kind, keys: TROUBLESOME_TEXTS });
        const { scope } = await next([kind]);
        expect('keys' in scope && scope.keys).to.have.members([...TROUBLESOME_TEXTS]);
      }
    });

    it('keeps as many keys as one step has', async () => {
      const keys = Array.from({ length: 2_000 }, (_, n) => `key ${n}`);
      await add({ kind: 'tags', keys });
      const { scope } = await next(['tags']);
      expect('keys' in scope && scope.keys).to.have.members(keys);
    });

    it('stores where a job continues, and leaves all others unchanged', async () => {
      await add({ kind: 'tags', keys: ['t'] });
      await add({ kind: 'websites', keys: ['w'] });
      const [tags, websites] = [await next(['tags']), await next(['websites'])];
      for (const [stage, after] of [null, ...TROUBLESOME_TEXTS].entries()) {
        const progress = { stage, after, done: stage * 250, total: stage % 2 === 0 ? null : 10_000_000_000 };
        await update({ kind: 'advance', id: tags.id, progress });
        expect(await jobQueue.next(['tags'])).to.deep.equal({ ...tags, progress });
        expect(await jobQueue.find(tags.id)).to.deep.equal({ ...tags, progress });
      }
      expect(await jobQueue.find(websites.id)).to.deep.equal(websites);
      expect(await next(['everything'])).to.have.property('progress', null);
    });

    it('finds unfinished jobs only', async () => {
      await add({ kind: 'categories', keys: ['c'] });
      const jobs = [await next(['everything']), await next(['reconcile']), await next(['categories'])];
      for (const job of jobs) expect(await jobQueue.find(job.id)).to.deep.equal(job);
      const [everything, reconciling, categories] = jobs as [Job, Job, Job];
      await finish(categories.id);
      expect(await jobQueue.find(categories.id)).to.equal(null);
      expect(await jobQueue.next(['categories'])).to.equal(null);
      await finish(categories.id);
      for (const job of [everything, reconciling]) expect(await jobQueue.find(job.id)).to.deep.equal(job);
      expect(await jobQueue.find(categories.id + 1_000)).to.equal(null);
    });

    it('continues an unfinished rebuild when one is requested, begun or not', async () => {
      const { id } = await next(['everything']);
      expect(await jobQueue.requestEverything()).to.equal(id);
      await update({ kind: 'advance', id, progress: BEGUN });
      expect(await jobQueue.requestEverything()).to.equal(id);
      expect((await next(['everything'])).progress).to.deep.equal(BEGUN);
    });

    it('starts another rebuild when one is requested after the last one is finished', async () => {
      const first = (await next(['everything'])).id;
      await finish(first);
      const second = await jobQueue.requestEverything();
      expect(second).to.be.greaterThan(first);
      const job = { id: second, scope: { kind: 'everything' }, progress: null, attempts: 0 };
      expect(await jobQueue.find(second)).to.deep.equal(job);
      expect(await jobQueue.next(['everything'])).to.deep.equal(job);
      expect(await jobQueue.requestEverything()).to.equal(second);
      await finish(second);
      expect(await jobQueue.next(['everything'])).to.equal(null);
    });

    it('continues the older one of two rebuilds in the queue', async () => {
      const first = (await next(['everything'])).id;
      await update(
        { kind: 'advance', id: first, progress: BEGUN },
        { kind: 'add', scope: { kind: 'everything' } },
      );
      expect(await jobQueue.requestEverything()).to.equal(first);
      await finish(first);
      const second = await next(['everything']);
      expect(second).to.deep.include({ scope: { kind: 'everything' }, progress: null, attempts: 0 });
      expect(await jobQueue.requestEverything()).to.equal(second.id);
    });

    itRecordsFailures(runner, makeSubject);
    itSkipsCoveredJobs(runner, makeSubject);
  });
}
