import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { startTracing } from '../../../src/composition/modules/tracing.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf } from '../../support/programs/running-programs.js';
import { type CollectedSpan, TraceCollector } from './trace-collector.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SERVER = 2;
const A_DAY_MS = 86_400_000;
const NOWHERE = 'http://127.0.0.1:9';

/** Prints at the end how many modules of OpenTelemetry the program has loaded. prom-client always loads `api`. */
const COUNTING = `--import=data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  const { cache } = createRequire(process.cwd() + '/any.js');
  process.on('exit', () => console.log('of OpenTelemetry:', Object.keys(cache).filter((file) => /@opentelemetry.(?!api\\W)/.test(file)).length));
`)}`;

describe('Traces of the API', () => {
  let dashboard: Dashboard;
  let tenant: Tenant;
  let collector: TraceCollector;

  before(async () => {
    dashboard = await Dashboard.create(1);
    tenant = dashboard.tenant();
    collector = await TraceCollector.start();
  });
  after(() => collector?.stop());

  async function isReady(api: RunningProgram): Promise<void> {
    const address = await adminAddressOf(api);
    await eventually(async () => expect((await askOperators(address, '/readyz')).status).to.equal(200));
  }

  async function dropTags(): Promise<void> {
    const client = new pg.Client(dashboard.readDatabaseUrl);
    await client.connect();
    await client.query('drop table content_read.tags');
    await client.end();
  }

  const start = (environment: Record<string, string>) =>
    new RunningProgram(['api'], {
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      PORT: '0',
      HOST: '127.0.0.1',
      NODE_OPTIONS: COUNTING,
      ...environment,
    });

  describe('with a collector', () => {
    let spans: readonly CollectedSpan[];
    let program: RunningProgram;

    before(async () => {
      // This delay is longer than the test: everything that arrives was sent at the end.
      program = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '60000' });
      const address = await addressOf(program);
      await isReady(program);
      const ask = (path: string, headers: Record<string, string> = {}) =>
        sendRequest(address, `/api/v1/${path}`, { 'X-API-Key': tenant.key, ...headers });
      await ask('blogs?search=a-secret-search');
      await ask('blogs?search=a-secret-search');
      await ask(`blogs/${tenant.blogId}`, { traceparent: `00-${TRACE}-${PARENT}-01` });
      await ask('blogs/slug/a-secret-slug?website_id=a-secret-website');
      await ask('tags', { 'X-API-Key': 'a-secret-key-of-nobody' });
      await dropTags();
      await ask('tags');
      expect(collector.bodies).to.eql([]);
      expect(await program.end('SIGTERM')).to.equal(0);
      spans = collector.spans;
    });

    const requests = () => spans.filter(({ kind }) => kind === SERVER);
    const within = (request: CollectedSpan | undefined) =>
      spans.filter(({ traceId, kind }) => traceId === request?.traceId && kind !== SERVER);

    it('exist for every request, named by its route, and are sent before the program ends', () => {
      expect(collector.services).to.include('blog-read-api');
      expect(
        requests().map(({ name, attributes, hasFailed }) => [
          name,
          attributes['http.response.status_code'],
          attributes['blog_read_api.source'] ?? null,
          hasFailed,
        ]),
      ).to.eql([
        ['GET /api/v1/blogs', 200, 'computed', false],
        ['GET /api/v1/blogs', 200, 'process', false],
        ['GET /api/v1/blogs/:id', 200, 'computed', false],
        ['GET /api/v1/blogs/slug/:slug', 404, null, false],
        ['GET /api/v1/tags', 401, null, false],
        ['GET /api/v1/tags', 500, null, true],
      ]);
    });

    it('show what a MISS waited for', () => {
      const [miss] = requests();
      expect(within(miss).map(({ name }) => name)).to.have.members([
        'admission',
        'authentication',
        'query of keys',
        'request log',
        'generation',
        'authentication',
        'cache',
        'query of blogs',
        'cache',
      ]);
    });

    it('show that a HIT queried nothing', () => {
      const [, hit] = requests();
      expect(within(hit).map(({ name }) => name)).to.have.members([
        'admission',
        'authentication',
        'request log',
        'generation',
        'authentication',
        'cache',
      ]);
    });

    it('have the calling spans as their parents', () => {
      for (const request of requests()) {
        const ofRequest = within(request);
        const admission = ofRequest.find(({ name }) => name === 'admission');
        const parentOf = (name: string) => ofRequest.find((span) => span.name === name)?.parentSpanId;
        expect(admission?.parentSpanId).to.equal(request.spanId);
        expect(parentOf('authentication')).to.equal(admission?.spanId);
      }
      const [miss] = requests();
      const query = within(miss).find(({ name }) => name === 'query of blogs');
      expect(query?.parentSpanId).to.equal(miss?.spanId);
    });

    it("continue the caller's trace", () => {
      const ofCaller = requests().filter(({ traceId }) => traceId === TRACE);
      expect(ofCaller.map(({ name, parentSpanId }) => [name, parentSpanId])).to.eql([
        ['GET /api/v1/blogs/:id', PARENT],
      ]);
      expect(requests().filter(({ parentSpanId }) => parentSpanId !== null)).to.have.length(1);
    });

    it('mark failures, and contain nothing that a caller wrote', () => {
      const failed = spans.filter(({ hasFailed }) => hasFailed).map(({ name }) => name);
      expect(failed).to.have.members(['GET /api/v1/tags', 'query of tags']);
      const sent = collector.bodies.join();
      for (const secret of ['secret', tenant.key, tenant.blogId, tenant.organizationId]) {
        expect(sent).not.to.contain(secret);
      }
    });
  });

  it('do not delay the end of the program if the collector never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const program = start({
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: String(A_DAY_MS),
      });
      await sendRequest(await addressOf(program), '/api/v1/blogs', { 'X-API-Key': tenant.key });
      expect(await program.end('SIGTERM')).to.equal(0);
    } finally {
      silent.close();
    }
  });

  it('are reported in the log if they cannot be delivered', async () => {
    const program = start({
      OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      LOG_LEVEL: 'debug',
    });
    await sendRequest(await addressOf(program), '/api/v1/blogs', { 'X-API-Key': tenant.key });
    await program.printed(/"level":20,.*"msg":"tracing"/);
    await program.end('SIGTERM');
  });

  it('are not started if they are not configured or are switched off', async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    for (const environment of [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' },
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
    ]) {
      expect(await startTracing(environment)).to.equal(null);
    }
  });

  it('load no module in a program without them', async () => {
    const program = start({});
    await addressOf(program);
    await program.end('SIGTERM');
    expect(await program.printed(/of OpenTelemetry: (\d+)/)).to.equal('0');
  });
});
