import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { sampleOf } from '../../support/programs/scrape.js';

describe('PrometheusMetrics', () => {
  let metrics: PrometheusMetrics;

  beforeEach(() => {
    metrics = new PrometheusMetrics();
  });

  const sample = async (name: string) => sampleOf(await metrics.text(), name);

  it('counts a request by route and status, with its duration, verdict and source', async () => {
    const request = { route: '/a', status: 200, verdict: 'admitted', source: 'shared', milliseconds: 3 };
    metrics.countRequest(request);
    metrics.countRequest({ ...request, milliseconds: 30 });
    metrics.countRequest({ ...request, status: 500, verdict: null, source: null, milliseconds: 300 });

    const duration = 'blog_read_api_request_duration_seconds';
    expect(await sample('blog_read_api_requests_total{route="/a",status="200"}')).to.equal(2);
    expect(await sample('blog_read_api_requests_total{route="/a",status="500"}')).to.equal(1);
    expect(await sample(`${duration}_bucket{le="0.005",route="/a"}`)).to.equal(1);
    expect(await sample(`${duration}_bucket{le="0.05",route="/a"}`)).to.equal(2);
    expect(await sample(`${duration}_count{route="/a"}`)).to.equal(3);
    expect(await sample('blog_read_api_admissions_total{verdict="admitted"}')).to.equal(2);
    expect(await sample('blog_read_api_answers_total{source="shared"}')).to.equal(2);
  });

  it('reads watched values at each scrape', async () => {
    let waiting = 0;
    metrics.watch(['poolInUse', 'poolWaiting'], () => ({ poolInUse: 10, poolWaiting: waiting++ }));
    expect(await sample('blog_read_api_read_pool_waiting')).to.equal(0);
    expect(await sample('blog_read_api_read_pool_waiting')).to.equal(1);
    expect(await sample('blog_read_api_read_pool_in_use')).to.equal(10);
  });

  it('leaves out values that are currently unknown, and nothing else', async () => {
    let lag: Promise<{ syncLag: number }> = Promise.resolve({ syncLag: 5 });
    metrics.watch(['syncLag'], () => lag);
    metrics.watch(['syncLeader'], () => ({ syncLeader: 1 }));
    expect(await sample('blog_read_api_sync_lag_seconds')).to.equal(5);
    lag = Promise.reject(new Error('gone'));
    expect(await sample('blog_read_api_sync_lag_seconds')).to.equal(null);
    expect(await sample('blog_read_api_sync_leader')).to.equal(1);
    lag = Promise.resolve({ syncLag: 6 });
    expect(await sample('blog_read_api_sync_lag_seconds')).to.equal(6);
  });

  it('exposes a renamed metric under its former name as well, marked as deprecated', async () => {
    metrics.count('row-quarantined', 2);
    metrics.watch(['syncQuarantined'], () => ({ syncQuarantined: 3 }));

    const text = await metrics.text();

    for (const [name, formerName, value] of [
      ['blog_read_api_sync_quarantined_total', 'blog_read_api_sync_set_aside_total', 2],
      ['blog_read_api_sync_quarantined_rows', 'blog_read_api_sync_rows_set_aside', 3],
    ] as const) {
      expect([sampleOf(text, name), sampleOf(text, formerName)]).to.eql([value, value]);
      expect(text).to.contain(`# HELP ${formerName} Deprecated: use ${name}\n`);
    }
  });

  it('counts separately from another instance in the same process', async () => {
    new PrometheusMetrics().count('redis-breaker-opened');
    expect(await sample('blog_read_api_redis_breaker_opened_total')).to.equal(0);
  });
});
