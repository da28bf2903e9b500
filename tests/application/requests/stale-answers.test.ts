import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import type { Answers } from '../../../src/application/requests/answers.js';
import { Bulkhead } from '../../../src/application/requests/bulkhead.js';
import { CircuitBreaker, Unavailable } from '../../../src/application/requests/circuit-breaker.js';
import { Staleness } from '../../../src/application/requests/staleness.js';
import { MemoryResponseCache } from '../../../src/contracts/fakes/memory-response-cache.js';
import { DomainError } from '../../../src/domain/errors.js';
import type { Answer } from '../../../src/domain/model/answer.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { anAdmission, anAnswer, answersFrom } from './answers-from.js';

const LIFETIME_MS = 300_000;
const STALE_MS = 600_000;

describe('Answers, with stale answers,', () => {
  let clock: SettableClock;
  let answers: Answers;
  let cache: MemoryResponseCache;
  let parts: Parameters<typeof answersFrom>[1];
  let isAway: boolean;
  let untilProbe: Gate;

  const storage = async () => {
    if (isAway) throw new Error('unavailable');
  };
  const ask = async (
    generation: number,
    compute: () => Promise<Answer> = async () => anAnswer(`of ${generation}`),
    { isConfirmed = true, request = '/blogs' } = {},
  ) => {
    const given = await answers.answer(anAdmission('org_a', generation, isConfirmed), {
      request,
      kind: 'list',
      compute: async () => {
        await storage();
        return compute();
      },
    });
    return { ...given, answer: Buffer.from(given.answer.body).toString() };
  };
  const readmit = () => {
    if (isAway) throw new Unavailable('the read tables');
    return 2;
  };
  const failureOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => null,
      (error: Error) => error.message,
    );
  const startOutage = () => {
    isAway = true;
  };

  beforeEach(() => {
    clock = new SettableClock();
    isAway = false;
    untilProbe = new Gate();
    cache = new MemoryResponseCache(clock);
    const breaker = new CircuitBreaker({
      name: 'content',
      probe: storage,
      pause: () => untilProbe.wait(),
      opened: () => {},
      closed: () => {},
    });
    parts = {
      cacheLifetimesMs: { list: LIFETIME_MS, detail: LIFETIME_MS },
      staleness: new Staleness(STALE_MS),
      breaker,
      admissions: { readmit: async () => readmit() },
      clock,
    };
    answers = answersFrom(cache, parts);
  });

  it('serves an answer of the current generation from the cache as usual, even during an outage', async () => {
    await ask(1);
    startOutage();
    expect(await ask(1)).to.include({ source: 'process' });
  });

  it('serves the answer of an earlier generation during an outage, with that generation and its age', async () => {
    await ask(1);
    clock.advance(20_000);
    startOutage();
    expect(await ask(2)).to.eql({ answer: 'of 1', source: 'stale', generation: 1, ageMs: 20_000 });
  });

  it('serves an expired answer as long as configured, and no longer', async () => {
    await ask(1);
    startOutage();
    clock.advance(LIFETIME_MS + STALE_MS - 1);
    expect(await ask(1)).to.include({ source: 'stale', ageMs: LIFETIME_MS + STALE_MS - 1 });
    clock.advance(1);
    expect(await failureOf(ask(1))).not.to.equal(null);
  });

  it('passes the failure on for a request without a cached answer', async () => {
    startOutage();
    expect(await failureOf(ask(1))).to.equal('Unavailable: content: unavailable');
    expect(await failureOf(ask(1))).to.equal('Unavailable: content: unavailable');
  });

  it('passes a failure on while the storage is available: the request itself causes it', async () => {
    await ask(1);
    const failure = await failureOf(ask(2, () => Promise.reject(new Error('a bug'))));
    expect(failure).to.equal('a bug');
  });

  it('keeps the last answer to a request that is served from the cache again and again', async () => {
    await ask(1);
    for (let n = 0; n < 20; n++) {
      await ask(1, async () => anAnswer('x'.repeat(1_000_000)), { request: `/blogs/${n}` });
      await ask(1);
    }
    startOutage();
    expect(await ask(2)).to.include({ answer: 'of 1', source: 'stale' });
    expect(await failureOf(ask(2, undefined, { request: '/blogs/0' }))).not.to.equal(null);
  });

  it('serves no stale answer while the storage is available, although a computation waited too long', async () => {
    await ask(1);
    const busy = sinon.createStubInstance(Bulkhead);
    busy.compute.rejects(new Error('it waited too long'));
    answers = answersFrom(cache, { ...parts, bulkhead: busy });
    await ask(1);
    expect(await failureOf(ask(2))).to.equal('it waited too long');
    startOutage();
    expect(await ask(2)).to.include({ answer: 'of 1', source: 'stale' });
  });

  it('computes again once the storage is available again', async () => {
    await ask(1);
    startOutage();
    await ask(2);
    isAway = false;
    untilProbe.open();
    await nextTurn();
    expect(await ask(2)).to.include({ answer: 'of 2', source: 'computed' });
  });

  it('does not bring a blog back that was reported missing before the outage', async () => {
    await ask(1);
    const gone = () => Promise.reject(new DomainError('blog-not-found'));
    expect(await failureOf(ask(2, gone))).to.equal('blog-not-found');
    startOutage();
    expect(await failureOf(ask(2))).to.equal('Unavailable: content: unavailable');
  });

  it('serves no answer of a later generation than that at which the key was checked', async () => {
    await ask(2);
    startOutage();
    expect(await failureOf(ask(1))).to.equal('Unavailable: content: unavailable');
  });

  describe('while the generation is not confirmed', () => {
    it('computes nothing, and marks a cached answer as stale', async () => {
      await ask(1);
      const compute = () => Promise.reject(new Error('computed'));
      expect(await ask(1, compute, { isConfirmed: false })).to.include({ answer: 'of 1', source: 'stale' });
    });

    it('serves what another process has computed', async () => {
      await cache.put(
        { organizationId: 'org_a', generation: 1, request: '/blogs' },
        anAnswer('shared'),
        1_000,
      );
      startOutage();
      expect(await ask(1, undefined, { isConfirmed: false })).to.include({
        answer: 'shared',
        source: 'stale',
      });
    });

    it('computes an answer that is not cached as soon as it is confirmed', async () => {
      expect(await ask(1, undefined, { isConfirmed: false })).to.include({
        answer: 'of 1',
        source: 'computed',
        generation: 2,
      });
    });

    it('fails if nothing is cached and no server answers', async () => {
      startOutage();
      expect(await failureOf(ask(1, undefined, { isConfirmed: false }))).to.equal(
        'Unavailable: the read tables',
      );
    });
  });
});
