import { expect } from 'chai';
import { ProcessMetrics } from '../../src/adapters/system/process-metrics.js';
import { metricsContract } from './metrics.contract.js';

metricsContract(ProcessMetrics, () => {
  const subject = new ProcessMetrics();
  return { subject, numberOf: (event) => subject.of(event) };
});

describe('ProcessMetrics', () => {
  it('count apart from each other', () => {
    const [one, other] = [new ProcessMetrics(), new ProcessMetrics()];
    one.count('redis-lost');
    expect([one.of('redis-lost'), other.of('redis-lost')]).to.deep.equal([1, 0]);
  });
});
