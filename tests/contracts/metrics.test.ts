import { expect } from 'chai';
import * as mocha from 'mocha';
import { EVENTS } from '../../src/adapters/operations/metric-names.js';
import { PrometheusMetrics } from '../../src/adapters/operations/prometheus-metrics.js';
import { MemoryMetrics } from '../../src/contracts/fakes/memory-metrics.js';
import { metricsContract } from '../../src/contracts/system/metrics.contract.js';
import { sampleOf } from '../support/programs/scrape.js';

metricsContract(mocha, MemoryMetrics, () => {
  const subject = new MemoryMetrics();
  return { subject, numberOf: (event) => subject.of(event) };
});

metricsContract(mocha, PrometheusMetrics, () => {
  const subject = new PrometheusMetrics();
  const numberOf = async (event: keyof typeof EVENTS) => sampleOf(await subject.text(), EVENTS[event].name);
  return { subject, numberOf: async (event) => (await numberOf(event)) ?? Number.NaN };
});

describe('Metrics of one process', () => {
  it('are counted separately from others', async () => {
    const [one, other] = [new PrometheusMetrics(), new PrometheusMetrics()];
    one.count('row-repaired');
    expect(sampleOf(await other.text(), EVENTS['row-repaired'].name)).to.equal(0);
  });
});
