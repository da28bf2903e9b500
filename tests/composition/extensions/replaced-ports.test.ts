import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import type { Extension } from '../../../src/composition/extensions/extension.js';
import type { Environment } from '../../../src/composition/settings/read-settings.js';
import { MemoryBlogReader } from '../../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryCategoryReader } from '../../../src/contracts/fakes/memory-category-reader.js';
import { MemoryGenerations } from '../../../src/contracts/fakes/memory-generations.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemoryRequestLog } from '../../../src/contracts/fakes/memory-request-log.js';
import { MemoryResponseCache } from '../../../src/contracts/fakes/memory-response-cache.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aKey, aTag } from '../../../src/contracts/support/rows.js';
import type { WindowState } from '../../../src/domain/model/window.js';
import type { RequestLog } from '../../../src/domain/ports/answering/request-log.js';
import type { ApiProgram } from '../../../src/programs/api/api-program.js';
import { sendRequest } from '../../support/http/send-request.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { bindReadSide, extendedProgram } from '../../support/programs/extended-api.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { problemsOf } from '../problems-of.js';

const KEY = 'brk_some-key-of-an-extension';
/** No server listens at this address. */
const READ_DATABASE_URL = 'postgres://user:password@127.0.0.1:1/nowhere';

const ownCache: Extension = {
  api: (bind) => bind('responseCache', () => new MemoryResponseCache(new SystemClock())),
};
const ownRequestLog: Extension = {
  api: (bind) => bind('requestLog', (get) => new MemoryRequestLog(get('clock'))),
};

/** Like the promises of older libraries. */
class Thenable {
  constructor(private readonly state: WindowState) {}

  // biome-ignore lint/suspicious/noThenProperty: it is what the test is about.
  then(resolve: (state: WindowState) => void): void {
    setImmediate(resolve, this.state);
  }
}

describe('An API with ports that extensions replace', () => {
  let model: MemoryReadModel;
  let readSide: Extension;
  let program: ApiProgram | null;

  beforeEach(() => {
    model = new MemoryReadModel(new SystemClock());
    readSide = { api: (bind) => bindReadSide(bind, model) };
    program = null;
  });
  afterEach(() => program?.stop());

  async function start(extensions: readonly Extension[], environment: Environment = {}) {
    program = extendedProgram(extensions, environment);
    await program.start();
    return program;
  }

  async function put(name: string): Promise<void> {
    const key = aKey({ id: 'key', organizationId: 'org', hash: new Sha256KeyHasher().hash(KEY) });
    const tag = aTag({ id: 'tag', organizationId: 'org', name });
    await leadingWriter(model).replace({ kind: 'apiKeys', ids: ['key'], rows: [key] });
    await leadingWriter(model).replace({ kind: 'tags', ids: ['tag'], rows: [tag] });
  }

  async function askForTags() {
    const answer = await sendRequest(program?.address ?? '', '/api/v1/tags', { 'X-API-Key': KEY });
    return { name: answer.json().data[0]?.name, cache: answer.headers['x-cache'] };
  }

  const checksOf = ({ checks }: Pick<ApiProgram, 'checks'>) =>
    checks
      .call(program)
      .filter(({ isQuick }) => isQuick)
      .map(({ name }) => name);

  it('answers from what the extension binds, without READ_DATABASE_URL', async () => {
    await put('of the extension');
    await start([readSide]);
    expect(await askForTags()).to.deep.equal({ name: 'of the extension', cache: 'MISS' });
    expect(await askForTags()).to.deep.equal({ name: 'of the extension', cache: 'HIT' });
    await put('changed');
    await eventually(async () =>
      expect(await askForTags()).to.deep.equal({ name: 'changed', cache: 'MISS' }),
    );
  });

  it('uses what the extension binds instead of the default, and creates it once', async () => {
    let created = 0;
    let hits = 0;
    const counting: Extension = {
      api: (bind) => {
        bind('responseCache', () => {
          created++;
          const get = async () => {
            hits++;
            return null;
          };
          return { get, put: async () => {} };
        });
      },
    };
    await put('cached by the process alone');
    await start([readSide, counting]);
    for (const cache of ['MISS', 'HIT', 'HIT']) expect(await askForTags()).to.include({ cache });
    expect({ created, hits }).to.deep.equal({ created: 1, hits: 1 });
  });

  it('computes what a cache of an extension fails to return, and is degraded until it works again', async () => {
    const broken = {
      get: () => Promise.reject(new Error('refused')),
      put: () => Promise.reject(new Error('full')),
    };
    const metrics = new PrometheusMetrics();
    await put('computed');
    program = extendedProgram(
      [readSide, { name: 'a cache', api: (bind) => bind('responseCache', () => broken) }],
      {},
      metrics,
    );
    await program.start();
    const check = program.checks().find(({ name }) => name === 'responseCache');
    expect([check?.isNeeded, await check?.run()]).to.deep.equal([
      false,
      { outcome: 'ok', cause: null, message: 'works', advice: null },
    ]);
    expect(await askForTags()).to.deep.equal({ name: 'computed', cache: 'MISS' });
    expect(await askForTags()).to.deep.equal({ name: 'computed', cache: 'HIT' });
    await eventually(async () =>
      expect(await check?.run()).to.deep.equal({
        outcome: 'failure',
        cause: null,
        message: 'the shared cache fails: put: full',
        advice: 'see extension a cache',
      }),
    );
    expect(sampleOf(await metrics.text(), 'blog_read_api_cache_failures_total')).to.equal(2);
  });

  describe('whose request log returns', () => {
    const logReturning = (record: RequestLog['record']): Extension => ({
      api: (bind) => bind('requestLog', () => ({ recordsWithinMs: 0, record })),
    });
    const ask = () => sendRequest(program?.address ?? '', '/api/v1/tags', { 'X-API-Key': KEY });

    for (const [what, promiseOf] of [
      ['a promise of another realm', runInNewContext('(state) => Promise.resolve(state)')],
      ['a thenable', (state: WindowState) => new Thenable(state)],
      ['a value', (state: WindowState) => state],
    ] as const) {
      it(`${what} answers each request`, async () => {
        const state = { accepted: true, count: 7, oldestAt: Date.now(), blockingAt: 0, now: Date.now() };
        await put('of the extension');
        await start([readSide, logReturning(() => promiseOf(state))]);
        for (const cache of ['MISS', 'HIT', 'HIT']) {
          const { status, headers } = await ask();
          expect({ status, ...headers }).to.include({
            status: 200,
            'x-cache': cache,
            'x-ratelimit-remaining': '93',
          });
        }
      });
    }

    for (const [what, rejection] of [
      ['a promise', () => Promise.reject(new Error('the log is away'))],
      ['a promise of another realm', runInNewContext('() => Promise.reject(new Error("the log is away"))')],
    ] as const) {
      it(`${what} that rejects answers 500 with the headers of the limit, and goes on`, async () => {
        let isAway = true;
        await put('of the extension');
        await start([readSide, logReturning(() => (isAway ? rejection() : Promise.resolve(null)))]);
        for (const _ of ['first', 'second']) {
          const { status, headers } = await ask();
          expect(status).to.equal(500);
          expect(headers).to.include.keys('x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id');
        }
        isAway = false;
        expect((await ask()).status).to.equal(200);
      });
    }
  });

  it('logs the replaced ports at the start, in the log that an extension may have replaced', async () => {
    const log = new RecordingLog();
    const logging: Extension = {
      name: 'our log',
      api: (bind) => bind('log', () => log),
    };
    await start([readSide, ownCache, logging]);
    const loaded = log.lines.filter(({ message }) => message === 'extension loaded');
    expect(loaded.slice(1).map(({ details }) => details)).to.deep.equal([
      { program: 'api', extension: 'extension-2', replaces: ['ResponseCache'] },
      { program: 'api', extension: 'our log', replaces: ['Log'] },
    ]);
    expect(log.messages).to.include('rate limit is in memory, for this process only');
  });

  it('counts requests for Prometheus, even if an extension counts the other events', async () => {
    const counted: string[] = [];
    const counting: Extension = {
      api: (bind) => bind('metrics', () => ({ count: (event) => counted.push(event) })),
    };
    const metrics = new PrometheusMetrics();
    await put('counted');
    program = extendedProgram([readSide, counting], {}, metrics);
    await program.start();
    await askForTags();
    expect(await metrics.text()).to.match(/requests_total\{route="\/api\/v1\/tags",status="200"\} 1/);
  });

  it('requires READ_DATABASE_URL while any remaining part reads from it, and names these parts', () => {
    const blogsAlone: Extension = {
      api: (bind) => {
        bind('blogReader', () => new MemoryBlogReader(model));
        bind('categoryReader', () => new MemoryCategoryReader(model));
        bind('generationTable', () => new MemoryGenerations(model));
      },
    };
    expect(problemsOf(() => extendedProgram([blogsAlone]))).to.deep.equal([
      'READ_DATABASE_URL is missing: TagReader and KeyTable need it (read tables: postgres://user:password@host:5432/name)',
    ]);
  });

  it('reports a missing URL with all that is wrong in the settings', () => {
    const variablesOf = (environment: Environment) =>
      problemsOf(() => extendedProgram([ownCache], environment)).map((problem) => problem.split(' ')[0]);
    expect(variablesOf({ PORT: 'x' })).to.deep.equal(['PORT', 'READ_DATABASE_URL']);
    expect(variablesOf({ PORT: 'x', READ_DATABASE_URL: 'x' })).to.deep.equal(['PORT', 'READ_DATABASE_URL']);
    expect(variablesOf({ PORT: 'x', READ_DATABASE_URL })).to.deep.equal(['PORT']);
  });

  it('checks only what it depends on', async () => {
    expect(checksOf(await start([readSide]))).to.deep.equal(['syncAge']);
    await program?.stop();
    program = extendedProgram([ownCache], { READ_DATABASE_URL });
    expect(checksOf(program)).to.deep.equal([
      'readDatabase',
      'migrations',
      'rights',
      'syncAge',
      'responseCache',
    ]);
  });

  it('names the extension, and no address, if what it binds cannot be read', async () => {
    await start([readSide]);
    Object.defineProperty(model, 'generations', {
      get: () => {
        throw new Error('unavailable');
      },
    });
    const [check] = program?.checks() ?? [];
    expect((await check?.run())?.message).to.match(
      /^answers come from the cache: extension extension-1: unavailable$/,
    );
  });

  describe('with a REDIS_URL', () => {
    let redis: Server;
    let connections: number;
    let environment: Environment;

    beforeEach(async () => {
      connections = 0;
      redis = createServer((socket) => {
        connections++;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(redis, 'listening');
      const { port } = redis.address() as AddressInfo;
      environment = { REDIS_URL: `redis://127.0.0.1:${port}`, READ_DATABASE_URL };
    });
    afterEach(async () => {
      await program?.stop();
      program = null;
      redis.close();
    });

    const everything = [ownCache, ownRequestLog];

    it('does not connect to Redis if everything that would use it is replaced', async () => {
      await start([readSide, ...everything], environment);
      expect(connections).to.equal(0);
      await program?.stop();
      expect(checksOf(await start([], environment))).to.include('redis');
      expect(connections).to.be.greaterThan(0);
    });

    for (const [left, extensions, checks] of [
      ['nothing', everything, ['responseCache']],
      ['only the cache', [ownRequestLog], ['redis', 'redisCache']],
      ['only the rate limit', [ownCache], ['redis', 'responseCache']],
    ] as const) {
      it(`checks Redis for what remains there: ${left}`, async () => {
        program = extendedProgram(extensions, environment);
        expect(checksOf(program).slice(4)).to.deep.equal(checks);
      });
    }
  });
});
