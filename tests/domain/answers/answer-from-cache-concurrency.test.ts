import { expect } from 'chai';
import { MemoryResponseCache } from '../../../src/adapters/memory/memory-response-cache.js';
import type { AnswerRequestHandler } from '../../../src/domain/answers/answer-request.js';
import type { Answer } from '../../../src/domain/model/answer.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { answersFrom } from './answers-from.js';

/** One title in a database. A change raises its generation too, as the sync worker does. */
class Content {
  #title = 'old';
  #generation = 1;
  reads = 0;

  read(): string {
    this.reads++;
    return this.#title;
  }

  change(title: string): void {
    this.#title = title;
    this.#generation++;
  }

  get generation(): number {
    return this.#generation;
  }
}

describe('AnswerRequestHandler, with many callers,', () => {
  let content: Content;
  let answers: AnswerRequestHandler;

  const ask = async (compute: () => Promise<string>, organizationId = 'org_a', request = '/blogs') => {
    const { answer, source } = await answers.handle({
      organizationId,
      // The generation that was read when the request was admitted.
      generation: content.generation,
      request,
      kind: 'list',
      isConfirmed: true,
      compute: async () => toAnswer(await compute()),
    });
    return [Buffer.from(answer.body).toString(), source !== 'computed'];
  };
  const askNow = () => ask(async () => content.read());
  /** Reads, and then waits until the gate opens. */
  const askSlowly = (gate: Gate, ...question: [organizationId?: string, request?: string]) =>
    ask(
      async () => {
        const title = content.read();
        await gate.wait();
        return title;
      },
      ...question,
    );
  /** Waits until the gate opens, and then reads. */
  const askLate = (gate: Gate) => ask(() => gate.wait().then(() => content.read()));

  beforeEach(() => {
    content = new Content();
    const cache = new MemoryResponseCache(new SettableClock(), 1_000_000);
    answers = answersFrom(cache);
  });

  it('never serves a later request what a slow reader read before a change', async () => {
    const gate = new Gate();
    const slow = askSlowly(gate);
    await gate.arrived;
    content.change('new');

    expect(await askNow()).to.eql(['new', false]);
    gate.open();
    expect(await slow).to.eql(['old', false]);
    expect(await askNow()).to.eql(['new', true]);
  });

  it('never caches for later requests what a slow reader read before a change', async () => {
    const gate = new Gate();
    const slow = askSlowly(gate);
    await gate.arrived;
    content.change('new');
    gate.open();
    await slow;

    expect(await askNow()).to.eql(['new', false]);
  });

  it('caches fresh data only under the old generation if a change comes between generation and data', async () => {
    const gate = new Gate();
    const late = askLate(gate);
    await gate.arrived;
    content.change('new');
    gate.open();

    expect(await late).to.eql(['new', false]);
    content.change('newest');
    expect(await askNow()).to.eql(['newest', false]);
  });

  it('does not let a request after a change share the computation of a request before it', async () => {
    const gates = [new Gate(), new Gate()] as const;
    const before = askSlowly(gates[0]);
    await gates[0].arrived;
    content.change('new');
    const after = askSlowly(gates[1]);
    await gates[1].arrived;
    gates[0].open();
    gates[1].open();

    expect(await Promise.all([before, after])).to.eql([
      ['old', false],
      ['new', false],
    ]);
  });

  it('computes once for all simultaneous requests that miss the same answer', async () => {
    const gate = new Gate();
    const callers = Array.from({ length: 50 }, () => askSlowly(gate));
    await gate.arrived;
    gate.open();
    const served = await Promise.all(callers);

    expect(served).to.eql(served.map(() => ['old', false]));
    expect(content.reads).to.equal(1);
  });

  it('computes separately for other requests and other organizations', async () => {
    const gates = [new Gate(), new Gate(), new Gate()] as const;
    const callers = [
      askSlowly(gates[0], 'org_a', '/blogs'),
      askSlowly(gates[1], 'org_b', '/blogs'),
      askSlowly(gates[2], 'org_a', '/tags'),
    ];
    for (const gate of gates) await gate.arrived;
    for (const gate of gates) gate.open();
    await Promise.all(callers);

    expect(content.reads).to.equal(3);
  });

  it('fails for all requests that share a failed computation, and computes again for the next one', async () => {
    const gate = new Gate<string>();
    const callers = Array.from({ length: 3 }, () => ask(() => gate.wait()));
    await gate.arrived;
    gate.fail(new Error('no connection'));
    const outcomes = await Promise.allSettled(callers);

    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).to.eql([
      'no connection',
      'no connection',
      'no connection',
    ]);
    expect(await askNow()).to.eql(['old', false]);
    expect(await askNow()).to.eql(['old', true]);
  });
});

function toAnswer(text: string): Answer {
  return { body: Buffer.from(text), etag: `"${text}"` };
}
