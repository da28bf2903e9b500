import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { OperationsServer } from '../../../src/adapters/operations/operations-server.js';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { Readiness } from '../../../src/adapters/operations/readiness.js';
import type { Examined } from '../../../src/domain/model/finding.js';
import { sampleOf } from '../../support/programs/scrape.js';

describe("The operators' port", () => {
  let examined: Examined[];
  let readiness: Readiness;
  let metrics: PrometheusMetrics;
  let api: RequestListener | null;
  let server: OperationsServer;
  let address: string;

  beforeEach(async () => {
    examined = [];
    readiness = new Readiness(async () => examined, {});
    readiness.started();
    metrics = new PrometheusMetrics();
    api = null;
    const documents = { '/page': { contentType: 'text/html; charset=utf-8', body: async () => '<p>é</p>' } };
    server = new OperationsServer(readiness, metrics, documents, () => api);
    address = await server.start(0, '127.0.0.1');
  });
  afterEach(() => server.stop());

  const get = (path: string, method = 'GET') => fetch(`${address}${path}`, { method });
  const examinedAs = (outcome: Examined['outcome'], message: string): Examined => ({
    check: 'thing',
    code: 'thing.lost',
    isNeeded: true,
    outcome,
    message,
    advice: null,
  });

  it('reports that the program is alive, whatever its dependencies report', async () => {
    examined = [examinedAs('failure', 'gone')];
    const answer = await get('/livez');
    expect([answer.status, await answer.json()]).to.deep.equal([200, { status: 'alive' }]);
  });

  it('returns 200 if the program can take requests, and 503 if it cannot', async () => {
    expect((await get('/readyz')).status).to.equal(200);
    examined = [examinedAs('warning', 'away')];
    expect((await get('/readyz')).status).to.equal(200);
    examined = [examinedAs('failure', 'gone')];
    const answer = await get('/readyz');
    expect([answer.status, await answer.json()]).to.deep.equal([
      503,
      { status: 'not ready', checks: { thing: { status: 'failed', code: 'thing.lost', reason: 'gone' } } },
    ]);
    examined = [];
    readiness.drain();
    expect((await get('/readyz')).status).to.equal(503);
  });

  it('exposes the metrics in the format of Prometheus', async () => {
    metrics.count('without-redis', 3);
    const answer = await get('/metrics');
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect(sampleOf(await answer.text(), 'blog_read_api_without_redis_total')).to.equal(3);
  });

  it('serves its documents byte for byte with their type, and forbids caching them', async () => {
    const answer = await get('/page?x=y');
    expect([answer.status, await answer.text()]).to.deep.equal([200, '<p>é</p>']);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    const head = await get('/page', 'HEAD');
    expect([head.status, await head.text(), head.headers.get('content-length')]).to.deep.equal([
      200,
      '',
      '9',
    ]);
  });

  it('allows its pages neither external resources nor inline scripts, and forbids all frames', async () => {
    const policy = (await get('/page')).headers.get('content-security-policy')?.split('; ');
    expect(policy).to.include.members(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]);
    expect(policy?.join()).not.to.contain('unsafe').and.not.to.contain('http');
  });

  it('passes requests for the API on unchanged while there is an API', async () => {
    api = ({ method, url, headers }, response) => response.end(`${method} ${url} ${headers['x-api-key']}`);
    const answer = await fetch(`${address}/api/v1/blogs?page=2`, { headers: { 'X-API-Key': 'a-key' } });
    expect(await answer.text()).to.equal('GET /api/v1/blogs?page=2 a-key');
    expect((await get('/livez')).status).to.equal(200);
    api = null;
    expect((await get('/api/v1/blogs')).status).to.equal(404);
  });

  it('has no other path and accepts no other method', async () => {
    expect((await get('/api/v1/blogs')).status).to.equal(404);
    expect((await get('/')).status).to.equal(404);
    const refused = await get('/metrics', 'POST');
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
  });
});
