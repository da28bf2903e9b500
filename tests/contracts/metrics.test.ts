import { expect } from 'chai';
import { EVENTS } from '../../src/adapters/operations/metric-names.js';
import { PrometheusMetrics } from '../../src/adapters/operations/prometheus-metrics.js';
import { ProcessMetrics } from '../../src/adapters/system/process-metrics.js';
import { sampleOf } from '../support/scrape.js';
import { metricsContract } from './metrics.contract.js';

metricsContract(ProcessMetrics, () => {
  const subject = new ProcessMetrics();
  return { subject, numberOf: (event) => subject.of(event) };
});

metricsContract(PrometheusMetrics, () => {
  const subject = new PrometheusMetrics();
  const numberOf = async (event: keyof typeof EVENTS) => sampleOf(await subject.text(), EVENTS[event].name);
  return { subject, numberOf: async (event) => (await numberOf(event)) ?? Number.NaN };
});

describe('ProcessMetrics', () => {
  it('count apart from each other', () => {
    const [one, other] = [new ProcessMetrics(), new ProcessMetrics()];
    one.count('redis-lost');
    expect([one.of('redis-lost'), other.of('redis-lost')]).to.deep.equal([1, 0]);
  });
});
