import { expect } from 'chai';
import { Bulkhead } from '../../../src/application/requests/bulkhead.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

const BOUNDS = { total: 3, perOrganization: 2, maxWaitMs: 1_000 };

describe('Bulkhead', () => {
  let clock: SettableClock;
  let bulkhead: Bulkhead;
  let started: string[];
  let gates: Map<string, Gate>;

  beforeEach(() => {
    clock = new SettableClock();
    bulkhead = new Bulkhead(BOUNDS, clock);
    started = [];
    gates = new Map();
  });

  /** Starts a computation with a name such as a1: the first one of organization a. */
  const begin = (name: string) => {
    const gate = new Gate();
    gates.set(name, gate);
    const run = bulkhead.compute(name.slice(0, 1), () => {
      started.push(name);
      return gate.wait();
    });
    run.catch(() => {});
    return run;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    gates.get(name)?.open();
    await settle();
  };

  it('lets the computations of one organization wait for each other, in order, and delays no other organization', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) begin(name);
    begin('b1');
    await settle();
    expect(started).to.eql(['a1', 'a2', 'b1']);
    await end('a2');
    expect(started.at(-1)).to.equal('a3');
  });

  it('runs computations in order that had to wait because of the total limit', async () => {
    for (const name of ['a1', 'a2', 'b1', 'a3', 'a4', 'c1', 'd1']) begin(name);
    await settle();
    expect(started).to.eql(['a1', 'a2', 'b1']);
    for (const name of ['a1', 'b1', 'a2']) await end(name);
    expect(started.slice(3)).to.eql(['a3', 'c1', 'd1']);
    await end('c1');
    expect(started.at(-1)).to.equal('a4');
  });

  it('has room again after a computation that fails', async () => {
    for (const name of ['a1', 'a2', 'a3']) begin(name);
    gates.get('a1')?.fail(new Error('broken'));
    await settle();
    expect(started).to.eql(['a1', 'a2', 'a3']);
  });

  it('refuses computations that have waited too long, and runs the others', async () => {
    for (const name of ['a1', 'a2']) begin(name);
    const late = begin('a3').catch((error: Error) => error.message);
    clock.advance(1_001);
    begin('a4');
    await end('a1');
    expect(await late).to.contain('waited too long');
    expect(started).to.eql(['a1', 'a2', 'a4']);
  });
});
