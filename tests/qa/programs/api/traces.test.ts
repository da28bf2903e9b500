import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { sendRequest } from '../../../support/http/send-request.js';
import { RunningProcess } from '../../../support/programs/running-process.js';
import { addressOf, environmentOf } from '../../../support/programs/running-programs.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';
import { skipWithout } from '../../../support/run-notes.js';
import { type Span, SpanCollector } from './span-collector.js';

const TRACING = 'deploy/tracing';
const QUIETLY = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--no-package-lock'];
const SEARCH = 'words-of-a-caller';
const REQUEST_ID = 'the-request-of-this-test';

const sourcesOf = (spans: readonly Span[]) => [...new Set(spans.map(({ by }) => by))];

describe('Traces of an API that is started as in the image of deploy/tracing', () => {
  const redis = sharedRedis();
  let folder: string;
  let entrypoint: readonly string[];
  let dashboard: Dashboard;
  let key: string;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-tracing-'));
    await cp(TRACING, folder, { recursive: true });
    await promisify(execFile)('npm', ['install', ...QUIETLY], { cwd: folder }).catch(() =>
      skipWithout(this, 'the packages of OpenTelemetry from npm'),
    );
    const [, command = ''] =
      /^ENTRYPOINT (.*)$/m.exec(await readFile(join(TRACING, 'Dockerfile'), 'utf8')) ?? [];
    entrypoint = JSON.parse(command);
    dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The spans of one request that no cache answers. */
  async function spansOf(...flags: readonly string[]): Promise<readonly Span[]> {
    const collector = await SpanCollector.open();
    const [node = '', ...args] = entrypoint.map((part) => part.replace('/tracing/', `${folder}/`));
    const api = new RunningProcess(
      node,
      [...args, 'api', ...flags],
      {
        ...environmentOf(dashboard),
        PATH: process.env.PATH,
        ADMIN_PORT: '0',
        REDIS_URL: redis().url,
        OTEL_SERVICE_NAME: 'blogs',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
      process.cwd(),
    );
    try {
      const path = `/api/v1/blogs?search=${SEARCH}`;
      const headers = { 'X-API-Key': key, 'X-Request-Id': REQUEST_ID };
      const { status } = await sendRequest(await addressOf(api), path, headers);
      expect(status).to.equal(200);
      // This span ends last, so it is exported last or together with the others.
      await eventually(() => expect(sourcesOf(collector.spans)).to.include('http'));
      return collector.spans;
    } finally {
      await api.end('SIGKILL');
      collector.close();
    }
  }

  it('have spans of HTTP, Koa, PostgreSQL and Redis for each request, in each process', async () => {
    const spans = await spansOf('--processes', '2');
    expect(sourcesOf(spans)).to.have.members(['http', 'koa', 'pg', 'ioredis']);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(1);
    expect(new Set(spans.map(({ service }) => service))).to.deep.equal(new Set(['blogs']));
    const text = JSON.stringify(spans);
    expect(text).to.contain(REQUEST_ID);
    expect(text).not.to.contain(SEARCH);
    expect(text).not.to.contain(key);
  });

  it('have none of Koa without the hook for ES modules', async () => {
    const file = join(folder, 'tracing.mjs');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^register\(.*\n/m, ''));
    expect(sourcesOf(await spansOf())).to.have.members(['http', 'pg', 'ioredis']);
  });
});
