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
    const request = {
      route: '/a',
      status: 200,
      verdict: 'admitted',
      source: 'shared',
      milliseconds: 3,
    } as const;
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
});
