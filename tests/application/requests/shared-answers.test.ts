import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { SharedAnswers } from '../../../src/application/requests/shared-answers.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { MemoryResponseCache } from '../../../src/contracts/fakes/memory-response-cache.js';
import type { AnswerKey } from '../../../src/domain/model/answer.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { anAnswer } from './answers-from.js';

const KEY: AnswerKey = { organizationId: 'org_a', generation: 7, request: '/blogs' };
const BEGINS = 'The shared cache fails: each process computes and caches its own answers';
const ENDS = 'The shared cache works again';

describe('SharedAnswers', () => {
  let clock: SettableClock;
  let log: RecordingLog;
  let metrics: MemoryMetrics;
  let failing: Set<'get' | 'put'>;
  let answers: SharedAnswers;

  beforeEach(() => {
    [clock, log, metrics, failing] = [
      new SettableClock(),
      new RecordingLog(),
      new MemoryMetrics(),
      new Set(),
    ];
    const cache = new MemoryResponseCache(clock);
    const unlessFailing = (call: 'get' | 'put') => {
      if (failing.has(call)) throw new Error('no space left');
    };
    answers = new SharedAnswers(
      {
        // One throws, the other rejects.
        get: (key) => {
          unlessFailing('get');
          return cache.get(key);
        },
        put: async (key, answer, lifetimeMs) => {
          unlessFailing('put');
          await cache.put(key, answer, lifetimeMs);
        },
      },
      clock,
      log,
      metrics,
    );
  });

  const put = async () => {
    answers.put(KEY, anAnswer('one'), 300_000);
    await nextTurn();
  };

  it('returns what was stored, and logs nothing, while the cache works', async () => {
    await put();
    expect((await answers.get(KEY))?.answer).to.eql(anAnswer('one'));
    expect([log.messages, answers.reason, metrics.of('cache-failed')]).to.eql([[], null, 0]);
  });

  it('has nothing while the cache fails, counts each failure, and logs the outage once', async () => {
    failing = new Set(['get', 'put']);
    for (let n = 0; n < 20; n++) {
      expect(await answers.get(KEY)).to.equal(null);
      await put();
      clock.advance(1_000);
    }
    expect(log.messages).to.eql([BEGINS]);
    expect(log.lines[0]?.details).to.have.nested.property('error.message', 'no space left');
    expect(metrics.of('cache-failed')).to.equal(40);
    expect(answers.reason).to.equal('put: no space left');

    failing.clear();
    clock.advance(10_000);
    await put();
    expect((await answers.get(KEY))?.answer).to.eql(anAnswer('one'));
    expect([log.messages, answers.reason]).to.eql([[BEGINS, ENDS], null]);
  });

  it('considers an outage of one call not ended by the other: a full disk can still be read', async () => {
    failing.add('put');
    await put();
    clock.advance(60_000);
    await answers.get(KEY);
    expect([log.messages, answers.reason]).to.eql([[BEGINS], 'put: no space left']);
  });

  it('logs one outage for a cache that fails every other time', async () => {
    for (let n = 0; n < 20; n++) {
      failing = new Set(n % 2 === 0 ? ['get'] : []);
      await answers.get(KEY);
      clock.advance(1_000);
    }
    expect(log.messages).to.eql([BEGINS]);
  });
});
