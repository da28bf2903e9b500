import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { CircuitBreaker } from '../../../src/application/requests/circuit-breaker.js';
import { DomainError } from '../../../src/domain/errors.js';
import { Gate } from '../../support/clock/gate.js';

describe('CircuitBreaker', () => {
  let probe: sinon.SinonStub;
  let pauses: Gate[];
  let events: unknown[];
  let breaker: CircuitBreaker;

  const broken = () => Promise.reject(new Error('broken'));
  const failureOf = (call: () => Promise<unknown>) =>
    breaker.attempt(call).then(
      () => null,
      (error: Error) => error.message,
    );
  const startOutage = async () => {
    probe.rejects(new Error('unavailable'));
    await breaker.fail();
  };
  const endPause = async () => {
    pauses.shift()?.open();
    await nextTurn();
  };

  beforeEach(() => {
    probe = sinon.stub().resolves();
    pauses = [];
    events = [];
    breaker = new CircuitBreaker({
      name: 'content',
      probe,
      pause: () => {
        const gate = new Gate();
        pauses.push(gate);
        return gate.wait();
      },
      opened: (error) => events.push((error as Error).message),
      closed: () => events.push('closed'),
    });
  });

  it('passes on the result of a call, without a probe', async () => {
    expect(await breaker.attempt(async () => 'answer')).to.equal('answer');
    expect([breaker.isOpen, probe.callCount]).to.eql([false, 0]);
  });

  it('stays closed if a call fails and the probe succeeds', async () => {
    expect(await failureOf(broken)).to.equal('broken');
    expect([breaker.isOpen, probe.callCount, events]).to.eql([false, 1, []]);
  });

  it('treats a domain error as a result', async () => {
    await failureOf(() => Promise.reject(new DomainError('blog-not-found')));
    expect([breaker.isOpen, probe.callCount]).to.eql([false, 0]);
  });

  it('opens if the probe fails, too, before the call is rejected', async () => {
    probe.callsFake(async () => {
      await nextTurn();
      throw new Error('unavailable');
    });
    const wasOpen = await breaker.attempt(broken).catch(() => breaker.isOpen);
    expect(wasOpen).to.equal(true);
    expect(events).to.eql(['unavailable']);
  });

  it('makes no call while it is open, and rejects at once', async () => {
    await startOutage();
    const call = sinon.fake();
    for (let n = 0; n < 3; n++) expect(await failureOf(call)).to.equal('Unavailable: content: unavailable');
    await breaker.fail();
    expect([call.callCount, probe.callCount]).to.eql([0, 1]);
  });

  it('probes after each pause, and closes as soon as a probe succeeds', async () => {
    await startOutage();
    await endPause();
    await endPause();
    expect([breaker.isOpen, probe.callCount]).to.eql([true, 3]);
    probe.resolves();
    await endPause();
    expect([breaker.isOpen, probe.callCount, pauses]).to.eql([false, 4, []]);
    expect(await breaker.attempt(async () => 'answer')).to.equal('answer');
    expect(events).to.eql(['unavailable', 'closed']);
  });

  it('says why the last probe failed', async () => {
    await startOutage();
    probe.rejects(new Error('forbidden'));
    await endPause();
    expect(await failureOf(async () => 'answer')).to.equal('Unavailable: content: forbidden');
  });

  it('makes no caller wait for the probe of an open one', async () => {
    await startOutage();
    const gate = new Gate();
    probe.returns(gate.wait());
    await endPause();
    expect(await failureOf(async () => 'answer')).to.equal('Unavailable: content: unavailable');
    gate.open();
    await nextTurn();
    expect(breaker.isOpen).to.equal(false);
  });

  it('opens again in the next outage', async () => {
    await startOutage();
    probe.resolves();
    await endPause();
    await startOutage();
    expect(breaker.isOpen).to.equal(true);
    expect(events).to.eql(['unavailable', 'closed', 'unavailable']);
  });

  it('probes once for all simultaneous failures', async () => {
    probe.rejects(new Error('unavailable'));
    await Promise.all(Array.from({ length: 5 }, () => failureOf(broken)));
    expect([probe.callCount, events]).to.eql([1, ['unavailable']]);
  });

  it('probes no more after it was stopped', async () => {
    await startOutage();
    breaker.stop();
    await endPause();
    expect([probe.callCount, pauses]).to.eql([1, []]);
  });
});
