import { expect } from 'chai';
import { Readiness } from '../../../src/adapters/operations/readiness.js';
import type { Examined, Finding } from '../../../src/domain/model/finding.js';

function examined(
  name: string,
  outcome: Finding['outcome'],
  isNeeded = true,
  advice: string | null = null,
): Examined {
  const finding = { outcome, message: `it is ${name}`, advice };
  return [{ name, isNeeded, after: [], run: async () => finding }, finding];
}
const fine = examined('fine', 'ok');

describe('Readiness', () => {
  function running(...results: readonly Examined[]): Readiness {
    const readiness = new Readiness(async () => results);
    readiness.started();
    return readiness;
  }

  it('reports the result of each check, with the reason and the advice if it is not ok', async () => {
    const gone = examined('gone', 'failure', true, 'restart it');
    expect(await running(fine, examined('worse', 'warning'), gone).report()).to.deep.equal({
      status: 'not ready',
      checks: {
        fine: { status: 'ok' },
        worse: { status: 'degraded', reason: 'it is worse' },
        gone: { status: 'failed', reason: 'it is gone', advice: 'restart it' },
      },
    });
  });

  it('is degraded if something fails that the program can do without', async () => {
    expect(await running(fine, examined('gone', 'failure', false)).report()).to.deep.include({
      status: 'degraded',
      checks: { fine: { status: 'ok' }, gone: { status: 'degraded', reason: 'it is gone' } },
    });
  });

  it('is starting before the start and draining after the drain, and runs no check in either state', async () => {
    let runs = 0;
    const readiness = new Readiness(async () => {
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

  it('runs each check once for all concurrent requests, and again for the next', async () => {
    let runs = 0;
    const readiness = new Readiness(async () => {
      runs++;
      return [fine];
    });
    readiness.started();
    await Promise.all([readiness.report(), readiness.report(), readiness.report()]);
    expect(runs).to.equal(1);
    await readiness.report();
    expect(runs).to.equal(2);
  });
});
