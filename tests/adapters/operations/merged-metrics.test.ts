import { expect } from 'chai';
import { countersOf, mergedMetrics } from '../../../src/adapters/operations/merged-metrics.js';
import {
  PrometheusMetrics,
  type ReportedMetrics,
} from '../../../src/adapters/operations/prometheus-metrics.js';
import { sampleOf } from '../../support/programs/scrape.js';

const REQUEST = {
  route: '/a',
  status: 200,
  verdict: 'admitted',
  source: 'process',
  milliseconds: 4,
} as const;

/** The metrics as another process sends them. */
async function sentBy(metrics: PrometheusMetrics): Promise<ReportedMetrics> {
  return JSON.parse(JSON.stringify(await metrics.reported()));
}

describe('The merged metrics of several processes', () => {
  it('add up all counters and histograms', async () => {
    const [one, other] = [new PrometheusMetrics(), new PrometheusMetrics()];
    one.countRequest(REQUEST);
    one.countRequest({ ...REQUEST, milliseconds: 2_000 });
    other.countRequest(REQUEST);
    other.countRequest({ ...REQUEST, status: 404 });
    other.count('without-redis', 2);
    const scrape = await mergedMetrics([await sentBy(one), await sentBy(other)]);
    const name = 'blog_read_api_request_duration_seconds';
    expect(sampleOf(scrape, 'blog_read_api_requests_total{route="/a",status="200"}')).to.equal(3);
    expect(sampleOf(scrape, 'blog_read_api_requests_total{route="/a",status="404"}')).to.equal(1);
    expect(sampleOf(scrape, 'blog_read_api_without_redis_total')).to.equal(2);
    expect(sampleOf(scrape, `${name}_bucket{le="0.005",route="/a"}`)).to.equal(3);
    expect(sampleOf(scrape, `${name}_bucket{le="+Inf",route="/a"}`)).to.equal(4);
    expect(sampleOf(scrape, `${name}_count{route="/a"}`)).to.equal(4);
    expect(sampleOf(scrape, `${name}_sum{route="/a"}`)).to.be.closeTo(2.012, 1e-9);
  });

  it('add up what is in use, take the highest value of flags, and leave out unknown values', async () => {
    const [one, other] = [new PrometheusMetrics(), new PrometheusMetrics()];
    one.watch(['poolInUse', 'redisBreakerOpen'], () => ({ poolInUse: 3, redisBreakerOpen: 1 }));
    other.watch(['poolInUse', 'redisBreakerOpen'], () => ({ poolInUse: 4, redisBreakerOpen: 0 }));
    other.watch(['syncLag'], () => ({ syncLag: Number.NaN }));
    const scrape = await mergedMetrics([await sentBy(one), await sentBy(other)]);
    expect(sampleOf(scrape, 'blog_read_api_read_pool_in_use')).to.equal(7);
    expect(sampleOf(scrape, 'blog_read_api_redis_breaker_open')).to.equal(1);
    expect(sampleOf(scrape, 'blog_read_api_sync_lag_seconds')).to.equal(null);
  });

  it('add up the memory of all processes, and take the lag of the slowest', async () => {
    const lag = 'nodejs_eventloop_lag_p99_seconds';
    const one = new PrometheusMetrics();
    one.watchProcess();
    const slow = (await sentBy(one)).map((metric) =>
      metric.name === lag ? { ...metric, values: [{ value: 7, labels: {} }] } : metric,
    );
    const fast = await sentBy(one);
    const scrape = await mergedMetrics([slow, fast]);
    expect(sampleOf(scrape, lag)).to.equal(7);
    const memory = (metrics: ReportedMetrics) =>
      metrics.find(({ name }) => name === 'process_resident_memory_bytes')?.values[0]?.value ?? Number.NaN;
    expect(sampleOf(scrape, 'process_resident_memory_bytes')).to.equal(memory(slow) + memory(fast));
    expect(scrape).to.match(/^process_start_time_seconds \d/m);
  });

  it('keep the counters of ended processes, and nothing else of them', async () => {
    const ended = new PrometheusMetrics();
    ended.countRequest(REQUEST);
    ended.watch(['poolInUse'], () => ({ poolInUse: 3 }));
    const counted = countersOf([countersOf([await sentBy(ended)]), countersOf([await sentBy(ended)])]);
    const living = new PrometheusMetrics();
    living.countRequest(REQUEST);
    const scrape = await mergedMetrics([counted, await sentBy(living)]);
    expect(sampleOf(scrape, 'blog_read_api_requests_total{route="/a",status="200"}')).to.equal(3);
    expect(sampleOf(scrape, 'blog_read_api_request_duration_seconds_count{route="/a"}')).to.equal(3);
    expect(sampleOf(scrape, 'blog_read_api_read_pool_in_use')).to.equal(null);
  });
});
