import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryResponseCache } from '../../../src/adapters/memory/memory-response-cache.js';
import type { AnswerRequestHandler } from '../../../src/domain/answers/answer-request.js';
import type { Answer } from '../../../src/domain/model/answer.js';
import type { Awaitable } from '../../../src/domain/model/awaitable.js';
import type { Snapshot } from '../../../src/domain/model/snapshot.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { answersFrom } from './answers-from.js';

const LIFETIMES = { list: 300_000, detail: 900_000 };

function anAnswer(text: string): Answer {
  return { body: Buffer.from(text), etag: `"${text}"` };
}

describe('AnswerRequestHandler', () => {
  let clock: SettableClock;
  let generation: number;
  let answers: AnswerRequestHandler;

  const ask = (
    text: string,
    { organizationId = 'org_a', request = '/blogs', kind = 'list' as 'list' | 'detail' } = {},
  ) =>
    answers.handle({
      organizationId,
      generation,
      request,
      kind,
      isConfirmed: true,
      compute: async () => anAnswer(text),
    });
  const bodyAndHit = async (...question: Parameters<typeof ask>) => {
    const { answer, source } = await ask(...question);
    return [Buffer.from(answer.body).toString(), source !== 'computed'];
  };

  beforeEach(() => {
    clock = new SettableClock();
    generation = 1;
    answers = answersFrom(new MemoryResponseCache(clock, 1_000_000));
  });

  it('computes an answer once and then serves it from the cache', async () => {
    expect(await bodyAndHit('first')).to.eql(['first', false]);
    expect(await bodyAndHit('second')).to.eql(['first', true]);
  });

  it('does not compute a cached answer', async () => {
    await ask('first');
    const compute = sinon.fake();
    await answers.handle({
      organizationId: 'org_a',
      generation,
      request: '/blogs',
      kind: 'list',
      isConfirmed: true,
      compute,
    });

    expect(compute.callCount).to.equal(0);
  });

  it('does not serve an answer after the generation has risen', async () => {
    await ask('first');
    generation = 2;

    expect(await bodyAndHit('second')).to.eql(['second', false]);
    expect(await bodyAndHit('third')).to.eql(['second', true]);
  });

  it('never serves the answer of another organization or of another request', async () => {
    await ask('first');

    expect(await bodyAndHit('second', { organizationId: 'org_b' })).to.eql(['second', false]);
    expect(await bodyAndHit('third', { request: '/blogs?page=2' })).to.eql(['third', false]);
  });

  for (const [kind, lifetimeMs] of Object.entries(LIFETIMES) as ['list' | 'detail', number][]) {
    it(`keeps a ${kind} for the lifetime of its kind`, async () => {
      await ask('first', { kind });
      clock.advance(lifetimeMs - 1);
      expect(await bodyAndHit('second', { kind })).to.eql(['first', true]);
      clock.advance(1);
      expect(await bodyAndHit('third', { kind })).to.eql(['third', false]);
    });
  }

  it('looks up and stores an answer under organization, generation and request, and nothing else', async () => {
    const [get, put, release] = [sinon.fake.resolves(null), sinon.fake.resolves(undefined), sinon.fake()];
    answers = answersFrom({ get, put, release });
    generation = 7;
    const key = { organizationId: 'org_a', generation: 7, request: '/blogs' };
    await ask('first', { kind: 'detail' });

    expect(get.args).to.eql([[key]]);
    expect(put.args).to.eql([[key, anAnswer('first'), LIFETIMES.detail]]);
    expect(release.callCount).to.equal(0);
  });

  it('uses no cache with a lifetime of 0, and computes every time', async () => {
    const [get, put, release] = [sinon.fake(), sinon.fake(), sinon.fake()];
    const cacheLifetimesMs = { list: 0, detail: 900_000 };
    answers = answersFrom({ get, put, release }, { cacheLifetimesMs });

    expect(await bodyAndHit('first')).to.eql(['first', false]);
    expect(await bodyAndHit('second')).to.eql(['second', false]);
    expect([get.callCount, put.callCount, release.callCount]).to.eql([0, 0, 0]);
  });

  describe('when the storage shows an older state than the generation', () => {
    const KEY = { organizationId: 'org_a', generation: 7, request: '/blogs' };
    const showing = (...generations: readonly number[]) => ({
      ...KEY,
      kind: 'list' as const,
      isConfirmed: true,
      compute: async (snapshot: Snapshot) => {
        for (const each of generations) snapshot.shows(each);
        return anAnswer(generations.join());
      },
    });

    it('returns that state with its generation, and does not cache it', async () => {
      expect(await answers.handle(showing(6))).to.deep.include({ source: 'computed', generation: 6 });
      expect(await answers.handle(showing(8))).to.deep.include({ source: 'computed', generation: 7 });
      expect(await answers.handle(showing(9))).to.deep.include({
        answer: anAnswer('8'),
        source: 'process',
        generation: 7,
      });
    });

    it('returns the oldest generation of all that was read', async () => {
      expect(await answers.handle(showing(8, 5, 7))).to.have.property('generation', 5);
      expect(await answers.handle(showing(7))).to.have.property('source', 'computed');
    });

    it('lets no request wait for it any longer', async () => {
      const [put, release] = [sinon.fake(), sinon.fake.resolves(undefined)];
      answers = answersFrom({ get: async () => null, put, release });
      await answers.handle(showing(6));

      expect(put.callCount).to.equal(0);
      expect(release.args).to.eql([[KEY]]);
    });

    it('returns its generation even if nothing is cached', async () => {
      answers = answersFrom(new MemoryResponseCache(clock, 1_000_000), {
        cacheLifetimesMs: { list: 0, detail: 0 },
      });
      expect(await answers.handle(showing(6))).to.have.property('generation', 6);
    });
  });

  describe('when the computation fails', () => {
    const failing = () => Promise.reject(new Error('broken'));
    const failureOf = (attempt: Awaitable<unknown>) =>
      Promise.resolve(attempt).then(
        () => null,
        (error: Error) => error.message,
      );
    const askFailing = () =>
      failureOf(
        answers.handle({
          organizationId: 'org_a',
          generation,
          request: '/blogs',
          kind: 'list',
          isConfirmed: true,
          compute: failing,
        }),
      );

    it('passes the failure on, and computes again next time', async () => {
      expect(await askFailing()).to.equal('broken');
      expect(await bodyAndHit('second')).to.eql(['second', false]);
    });

    it('caches nothing, and lets no request wait for it any longer', async () => {
      const [put, release] = [sinon.fake(), sinon.fake.resolves(undefined)];
      answers = answersFrom({ get: async () => null, put, release });
      await askFailing();

      expect(put.callCount).to.equal(0);
      expect(release.args).to.eql([[{ organizationId: 'org_a', generation: 1, request: '/blogs' }]]);
    });
  });

  it('returns an answer from memory at once, not in a promise', async () => {
    const question = {
      organizationId: 'org_a',
      generation,
      request: '/blogs',
      kind: 'list',
      isConfirmed: true,
    } as const;
    const compute = async () => anAnswer('computed');
    await answers.handle({ ...question, compute });
    const expected = { answer: anAnswer('computed'), source: 'process', generation };
    expect(answers.handle({ ...question, compute })).to.deep.equal(expected);
  });

  it('computes nothing if the cache fails', async () => {
    const compute = sinon.fake();
    const get = sinon.fake.rejects(new Error('out of order'));
    answers = answersFrom({ get, put: sinon.fake(), release: sinon.fake() });
    const question = {
      organizationId: 'org_a',
      generation,
      request: '/blogs',
      kind: 'list',
      isConfirmed: true,
      compute,
    } as const;
    const failure = await Promise.resolve(answers.handle(question)).catch((error: unknown) => error);

    expect(failure).to.have.property('message', 'out of order');
    expect(compute.callCount).to.equal(0);
  });
});
