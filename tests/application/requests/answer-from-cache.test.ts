import { expect } from 'chai';
import sinon from 'sinon';
import type { Answers, Call } from '../../../src/application/requests/answers.js';
import { MemoryResponseCache } from '../../../src/contracts/fakes/memory-response-cache.js';
import type { ResponseCache } from '../../../src/domain/ports/answering/response-cache.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { anAdmission, anAnswer, answersFrom } from './answers-from.js';

const LIFETIMES = { list: 300_000, detail: 900_000 };
type Given = Partial<typeof KEY & Call>;
const KEY = { organizationId: 'org_a', generation: 7, request: '/blogs' };

describe('Answers', () => {
  let answers: Answers;

  const ask = (compute: Call['compute'], given: Given = {}) => {
    const { organizationId, generation, ...call } = { ...KEY, kind: 'list' as const, compute, ...given };
    return answers.answer(anAdmission(organizationId, generation), call);
  };
  /** The text of the answer, and whether it was computed for this request. */
  const served = async (compute: () => Promise<string>, given: Given = {}) => {
    const { answer, source } = await ask(async () => anAnswer(await compute()), given);
    return [Buffer.from(answer.body).toString(), source];
  };
  const text = (body: string, given: Given = {}) => served(async () => body, given);
  const failureOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => null,
      (error: Error) => error.message,
    );
  /** A cache that is observed and has nothing. */
  const emptyCache = (): sinon.SinonSpiedInstance<ResponseCache> => ({
    get: sinon.fake.resolves(null),
    put: sinon.fake.resolves(undefined),
  });

  beforeEach(() => {
    answers = answersFrom(new MemoryResponseCache(new SettableClock()));
  });

  it('computes an answer once and then serves it from the cache, until the generation rises', async () => {
    expect(await text('first')).to.eql(['first', 'computed']);
    expect(await text('second')).to.eql(['first', 'process']);
    expect(await text('third', { generation: 8 })).to.eql(['third', 'computed']);
  });

  for (const kind of ['list', 'detail'] as const) {
    it(`stores a ${kind} under organization, generation and request for the lifetime of its kind`, async () => {
      const cache = emptyCache();
      answers = answersFrom(cache);
      await text('first', { kind });
      expect(cache.get.args).to.eql([[KEY]]);
      expect(cache.put.args).to.eql([[KEY, anAnswer('first'), LIFETIMES[kind]]]);
    });
  }

  it('uses no cache with a lifetime of 0, and computes every time', async () => {
    const cache = emptyCache();
    answers = answersFrom(cache, { cacheLifetimesMs: { list: 0, detail: 900_000 } });
    expect(await text('first')).to.eql(['first', 'computed']);
    expect(await text('second')).to.eql(['second', 'computed']);
    expect([cache.get.callCount, cache.put.callCount]).to.eql([0, 0]);
  });

  it('computes the answer if the shared cache fails, and serves it from the process afterwards', async () => {
    const fails = sinon.fake.rejects(new Error('out of order'));
    answers = answersFrom({ get: fails, put: fails });
    expect(await text('first')).to.eql(['first', 'computed']);
    expect(await text('second')).to.eql(['first', 'process']);
    expect(fails.callCount).to.equal(2);
  });

  it('delays no answer until the shared cache has stored it', async () => {
    answers = answersFrom({ ...emptyCache(), put: () => new Promise(() => {}) });
    expect(await text('first')).to.eql(['first', 'computed']);
  });

  it('caches no failed computation, and computes again', async () => {
    const cache = emptyCache();
    answers = answersFrom(cache);
    expect(await failureOf(ask(() => Promise.reject(new Error('broken'))))).to.equal('broken');
    expect(cache.put.callCount).to.equal(0);
    expect(await text('second')).to.eql(['second', 'computed']);
  });

  describe('with many callers', () => {
    let title: string;
    let generation: number;
    let reads: number;

    /** A change raises the generation too, as the sync worker does. */
    const change = (to: string) => {
      title = to;
      generation++;
    };
    const read = () => {
      reads++;
      return title;
    };
    // The generation was read when the request was admitted.
    const askNow = () => served(async () => read(), { generation });
    /** Reads, and then waits until the gate opens. */
    const askSlowly = (gate: Gate, given: Given = {}) =>
      served(
        async () => {
          const shown = read();
          await gate.wait();
          return shown;
        },
        { generation, ...given },
      );

    beforeEach(() => {
      [title, generation, reads] = ['old', 1, 0];
    });

    for (const [when, ends] of [
      ['before', true],
      ['after', false],
    ] as const) {
      it(`never serves a later request what a slow reader read before a change and ends ${when} it`, async () => {
        const gate = new Gate();
        const slow = askSlowly(gate);
        await gate.arrivalOf('the slow reader');
        change('new');
        if (ends) gate.open();
        if (ends) await slow;
        expect(await askNow()).to.eql(['new', 'computed']);
        gate.open();
        expect(await slow).to.eql(['old', 'computed']);
        expect(await askNow()).to.eql(['new', ends ? 'process' : 'shared']);
      });
    }

    it('serves from the cache again after generations went back, as after a restore', async () => {
      expect(await askNow()).to.eql([title, 'computed']);
      generation -= 5;
      expect(await askNow()).to.eql([title, 'computed']);
      expect(await askNow()).to.eql([title, 'process']);
    });

    it('caches fresh data only under the old generation if a change comes between generation and data', async () => {
      const gate = new Gate();
      const late = served(() => gate.wait().then(read), { generation });
      await gate.arrivalOf('the reader of the old generation');
      change('new');
      gate.open();
      expect(await late).to.eql(['new', 'computed']);
      change('newest');
      expect(await askNow()).to.eql(['newest', 'computed']);
    });

    it('does not let a request after a change share the computation of a request before it', async () => {
      const [before, after] = [new Gate(), new Gate()];
      const slow = [askSlowly(before)];
      await before.arrivalOf('the computation before the change');
      change('new');
      slow.push(askSlowly(after));
      await after.arrivalOf('a computation of its own after the change');
      before.open();
      after.open();
      expect(await Promise.all(slow)).to.eql([
        ['old', 'computed'],
        ['new', 'computed'],
      ]);
    });

    it('computes once for all simultaneous requests of one answer, and separately for others', async () => {
      const gates = [new Gate(), new Gate(), new Gate(), new Gate()] as const;
      const callers = [
        ...Array.from({ length: 50 }, () => askSlowly(gates[0])),
        askSlowly(gates[1], { organizationId: 'org_b' }),
        askSlowly(gates[2], { request: '/tags' }),
        askSlowly(gates[3], { organizationId: 'org_a/', request: 'blogs' }),
      ];
      for (const [index, gate] of gates.entries()) await gate.arrivalOf(`computation ${index} of 4`);
      for (const gate of gates) gate.open();
      expect(await Promise.all(callers)).to.eql(callers.map(() => ['old', 'computed']));
      expect(reads).to.equal(4);
    });

    it('fails for all requests that share a failed computation, and computes again for the next one', async () => {
      const gate = new Gate<string>();
      const failures = Array.from({ length: 3 }, () => failureOf(served(() => gate.wait(), { generation })));
      await gate.arrivalOf('the shared computation');
      gate.fail(new Error('no connection'));
      expect(await Promise.all(failures)).to.eql(Array(3).fill('no connection'));
      expect(await askNow()).to.eql(['old', 'computed']);
    });
  });
});
