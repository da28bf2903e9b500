import { expect } from 'chai';
import sinon from 'sinon';
import { StorageBreaker } from '../../../src/domain/answers/storage-breaker.js';
import { DomainError } from '../../../src/domain/errors.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

describe('StorageBreaker', () => {
  let clock: SettableClock;
  let log: RecordingLog;
  let probe: sinon.SinonStub;
  let pause: sinon.SinonStub;
  let breaker: StorageBreaker;

  const broken = () => Promise.reject(new Error('broken'));
  const failureOf = (query: () => Promise<unknown>) =>
    breaker.run(query).then(
      () => null,
      (error: Error) => error.message,
    );
  const startOutage = async () => {
    probe.rejects(new Error('unavailable'));
    await failureOf(broken);
  };

  beforeEach(() => {
    clock = new SettableClock();
    log = new RecordingLog();
    probe = sinon.stub().resolves();
    pause = sinon.stub().returns(new Promise(() => {}));
    breaker = new StorageBreaker('content', probe, clock, pause, log);
  });

  it('passes on the result of a query, without a probe', async () => {
    expect(await breaker.run(async () => 'answer')).to.equal('answer');
    expect([breaker.isOpen, probe.callCount]).to.eql([false, 0]);
  });

  it('stays closed if a query fails and the probe succeeds', async () => {
    expect(await failureOf(broken)).to.equal('broken');
    expect([breaker.isOpen, probe.callCount, log.messages]).to.eql([false, 1, []]);
  });

  it('treats a domain error as a result', async () => {
    await failureOf(() => Promise.reject(new DomainError('blog-not-found')));
    expect([breaker.isOpen, probe.callCount]).to.eql([false, 0]);
  });

  it('opens if the probe fails, too, before the query is rejected', async () => {
    probe.rejects(new Error('unavailable'));
    const wasOpen = await breaker.run(broken).catch(() => breaker.isOpen);
    expect(wasOpen).to.equal(true);
  });

  it('opens if the probe takes longer than half a second', async () => {
    const patience = new Gate();
    pause.returns(patience.wait());
    probe.returns(new Promise(() => {}));
    const failing = failureOf(broken);
    patience.open();
    expect(await failing).to.equal('broken');
    expect(breaker.isOpen).to.equal(true);
    expect(pause.args).to.eql([[500]]);
  });

  it('sends no query while it is open, and fails at once', async () => {
    await startOutage();
    const query = sinon.fake();
    for (let n = 0; n < 3; n++) expect(await failureOf(query)).to.equal('The read tables are unavailable');
    expect([query.callCount, probe.callCount]).to.eql([0, 1]);
  });

  it('lets one caller a second wait for the next probe, and no other', async () => {
    await startOutage();
    clock.advance(1_000);
    const gate = new Gate<string>();
    probe.resetHistory();
    probe.returns(gate.wait());
    const first = breaker.run(async () => 'first');
    expect(await failureOf(async () => 'second')).to.equal('The read tables are unavailable');
    gate.open('there');
    expect(await first).to.equal('first');
    expect([probe.callCount, breaker.isOpen]).to.eql([1, false]);
  });

  it('waits another second after a failed probe', async () => {
    await startOutage();
    clock.advance(1_000);
    expect(await failureOf(async () => 'answer')).to.equal('The read tables are unavailable');
    clock.advance(999);
    await failureOf(async () => 'answer');
    expect(probe.callCount).to.equal(2);
    clock.advance(1);
    await failureOf(async () => 'answer');
    expect(probe.callCount).to.equal(3);
  });

  it('probes even after the clock was set back', async () => {
    await startOutage();
    probe.resolves();
    clock.advance(-5_000);
    expect(await breaker.run(async () => 'answer')).to.equal('answer');
  });

  it('probes once for all simultaneous failures', async () => {
    await Promise.all(Array.from({ length: 5 }, () => failureOf(broken)));
    expect(probe.callCount).to.equal(1);
  });

  it('logs once that the storage is unavailable, and once that it is available again', async () => {
    await startOutage();
    for (let n = 0; n < 3; n++) {
      clock.advance(1_000);
      await failureOf(broken);
    }
    probe.resolves();
    clock.advance(1_000);
    await breaker.run(async () => 'answer');
    expect(log.messages).to.eql([
      'content cannot be read: answers from the cache may be outdated',
      'content can be read again',
    ]);
  });
});
