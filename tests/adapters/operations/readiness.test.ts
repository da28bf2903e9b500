import { expect } from 'chai';
import sinon from 'sinon';
import { type Check, Degraded, Readiness } from '../../../src/adapters/operations/readiness.js';

const NEVER = new Promise<never>(() => {});
const fine: Check = { name: 'fine', run: async () => {} };
const worse: Check = { name: 'worse', run: () => Promise.reject(new Degraded('it goes without')) };
const broken: Check = { name: 'broken', run: () => Promise.reject(new Error('it is gone')) };

describe('Readiness', () => {
  afterEach(() => {
    sinon.restore();
  });

  function running(...checks: readonly Check[]): Readiness {
    const readiness = new Readiness(() => checks);
    readiness.started();
    return readiness;
  }

  it('reports the result of each check, with the reason of a failure', async () => {
    expect(await running(fine, worse, broken).report()).to.deep.equal({
      status: 'not ready',
      checks: {
        fine: { status: 'ok' },
        worse: { status: 'degraded', reason: 'it goes without' },
        broken: { status: 'failed', reason: 'it is gone' },
      },
    });
  });

  it('is starting before the start and draining after the drain, and runs no check in either state', async () => {
    let runs = 0;
    const readiness = new Readiness(() => {
      runs += 1;
      return [fine];
    });
    expect(await readiness.report()).to.deep.equal({ status: 'starting', checks: {} });
    readiness.started();
    readiness.drain();
    expect(await readiness.report()).to.deep.equal({ status: 'draining', checks: {} });
    expect(runs).to.equal(0);
  });

  it('is draining even if the drain begins while a report is computed', async () => {
    const readiness = running(fine);
    const report = readiness.report();
    readiness.drain();
    expect(await report).to.include({ status: 'draining' });
  });

  it('waits for no check longer than a probe waits', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reporting = running(fine, { name: 'frozen', run: () => NEVER }).report();
    await clock.tickAsync(800);
    const report = await reporting;
    expect(report).to.have.property('status', 'not ready');
    expect(report.checks.frozen).to.deep.equal({ status: 'failed', reason: 'no answer within 800 ms' });
  });

  it('runs each check once for all concurrent requests, and again for the next', async () => {
    let runs = 0;
    const counting: Check = { name: 'counting', run: async () => void runs++ };
    const readiness = running(counting);
    await Promise.all([readiness.report(), readiness.report(), readiness.report()]);
    expect(runs).to.equal(1);
    await readiness.report();
    expect(runs).to.equal(2);
  });
});
