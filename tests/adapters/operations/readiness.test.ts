import { expect } from 'chai';
import { Readiness, readinessBody } from '../../../src/adapters/operations/readiness.js';
import type { Examined } from '../../../src/domain/model/finding.js';

function examined(
  check: string,
  outcome: Examined['outcome'],
  isNeeded = true,
  advice: string | null = null,
): Examined {
  return { check, code: `${check}.lost`, isNeeded, outcome, message: `it is ${outcome}`, advice };
}
const fine = examined('fine', 'ok');

describe('Readiness', () => {
  function running(...findings: readonly Examined[]): Readiness {
    const readiness = new Readiness(async () => findings, {});
    readiness.started();
    return readiness;
  }
  const bodyOf = async (...findings: readonly Examined[]) =>
    readinessBody(await running(...findings).report());

  it('reports the result of each check, with code, reason and advice if it is not ok', async () => {
    const gone = examined('gone', 'failure', true, 'restart it');
    expect(await bodyOf(fine, examined('worse', 'warning'), gone)).to.deep.equal({
      status: 'not ready',
      checks: {
        fine: { status: 'ok' },
        worse: { status: 'degraded', code: 'worse.lost', reason: 'it is warning' },
        gone: { status: 'failed', code: 'gone.lost', reason: 'it is failure', advice: 'restart it' },
      },
    });
  });

  it('is degraded if something fails that the program can do without', async () => {
    expect(await bodyOf(fine, examined('gone', 'failure', false))).to.deep.equal({
      status: 'degraded',
      checks: {
        fine: { status: 'ok' },
        gone: { status: 'degraded', code: 'gone.lost', reason: 'it is failure' },
      },
    });
  });

  it('reports the worst of the findings of one check, wherever it stands', async () => {
    const [ok, worse, worst] = [
      examined('tables', 'ok'),
      examined('tables', 'warning'),
      examined('tables', 'failure'),
    ];
    for (const findings of [
      [ok, worse, worst],
      [worst, worse, ok],
      [worse, worst, ok],
    ])
      expect((await bodyOf(...findings)).checks.tables?.status).to.equal('failed');
    expect((await bodyOf(ok, worse)).checks.tables?.status).to.equal('degraded');
  });

  it('is starting before the start and draining after the drain, and runs no check in either state', async () => {
    let runs = 0;
    const readiness = new Readiness(async () => {
      runs += 1;
      return [fine];
    }, {});
    expect(await readiness.report()).to.deep.equal({ status: 'starting', findings: [], replaced: {} });
    readiness.started();
    readiness.drain();
    expect(await readiness.report()).to.deep.equal({ status: 'draining', findings: [], replaced: {} });
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
    }, {});
    readiness.started();
    await Promise.all([readiness.report(), readiness.report(), readiness.report()]);
    expect(runs).to.equal(1);
    await readiness.report();
    expect(runs).to.equal(2);
  });
});
