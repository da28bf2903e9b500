import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Container } from 'inversify';
import pg from 'pg';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { WorkerConnection } from '../../../src/adapters/postgres/connection/worker-connection.js';
import { apiContainer } from '../../../src/composition/api-container.js';
import { createPorts, extendedApi } from '../../../src/composition/extensions/extend.js';
import { NEEDED_BY_API } from '../../../src/composition/extensions/ports.js';
import { TOKENS } from '../../../src/composition/tokens.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aKey, aTag } from '../../../src/contracts/support/rows.js';
import { ApiUpkeep } from '../../../src/programs/api/api-upkeep.js';
import { sendRequest } from '../../support/http/send-request.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { plainClient } from '../../support/postgres/plain-client.js';
import { putInto } from '../../support/postgres/read-tables.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const KEY = 'key-of-both-installations';
const HASH = createHash('sha256').update(KEY).digest('hex');

/** An installation: read tables, their writer, and an API process. */
class Installation {
  private constructor(
    readonly url: string,
    private readonly worker: WorkerConnection,
    private readonly container: Container,
    private readonly upkeep: ApiUpkeep,
    private readonly address: string,
  ) {}

  static async start(url: string, redisUrl: string): Promise<Installation> {
    const configuration = {
      port: 0,
      host: '127.0.0.1',
      readDatabaseUrl: url,
      readReplicaUrls: [],
      window: { limit: 1_000, lengthMs: 60_000 },
      cacheLifetimesMs: { list: 60_000, detail: 60_000 },
      staleIfErrorMs: 0,
      redisUrls: [redisUrl],
      redisCacheUrls: null,
      logLevel: 'silent',
      logPretty: false,
    } as const;
    const extended = extendedApi([], {});
    const created = apiContainer(configuration, new PrometheusMetrics(), null, extended);
    const { container } = created;
    createPorts(container, NEEDED_BY_API, extended.replaced);
    const upkeep = new ApiUpkeep(created);
    await upkeep.start();
    const address = await container.get(TOKENS.httpServer).start(0, '127.0.0.1');
    return new Installation(url, new WorkerConnection(url, 'test'), container, upkeep, address);
  }

  async putTag(name: string): Promise<void> {
    await putInto(leadingWriter(this.worker.database))(
      'tags',
      aTag({ id: 'tag', organizationId: 'org', name }),
    );
  }

  async tags() {
    const answer = await sendRequest(this.address, '/api/v1/tags', { 'X-API-Key': KEY });
    const { 'x-cache': cache, 'x-ratelimit-remaining': remaining } = answer.headers;
    const name = answer.status === 200 ? answer.json().data[0]?.name : null;
    return { status: answer.status, cache, remaining: Number(remaining), name };
  }

  async sql(text: string): Promise<void> {
    await this.worker.database.raw(text);
  }

  async stop(): Promise<void> {
    await this.upkeep.stop();
    await this.container.get(TOKENS.httpServer).stop();
    await this.container.unbindAllAsync();
    await this.worker.close();
  }
}

describe('On one Redis,', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const running: Installation[] = [];
  let original: string;

  const start = async (url: string) => {
    const installation = await Installation.start(url, redis().url);
    running.push(installation);
    return installation;
  };
  const namesInRedis = async () => [...new Set((await client().keys('*')).map((key) => key.split('{')[0]))];

  beforeEach(async () => {
    await client().flushall();
    original = await createReadTables();
    const worker = new WorkerConnection(original, 'test');
    const put = putInto(leadingWriter(worker.database));
    await put('apiKeys', aKey({ id: 'key', organizationId: 'org', hash: HASH }));
    await put('tags', aTag({ id: 'tag', organizationId: 'org', name: 'as it is' }));
    await worker.close();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  });

  it('two installations, one of them on a copy of the other database, share no answer, no generation and no window', async () => {
    const copy = await copyOf(original);
    const [production, staging] = [await start(original), await start(copy)];
    await production.tags();
    await staging.putTag('STAGING, not released');
    await eventually(async () => expect((await staging.tags()).name).to.equal('STAGING, not released'));
    expect(await staging.tags()).to.include({ name: 'STAGING, not released', cache: 'HIT' });

    expect(await production.tags()).to.deep.equal({
      status: 200,
      cache: 'HIT',
      remaining: 998,
      name: 'as it is',
    });
    // A process with empty memory receives what is in Redis.
    expect(await (await start(original)).tags()).to.include({
      cache: 'HIT',
      name: 'as it is',
      remaining: 997,
    });
    expect(await namesInRedis()).to.have.length(2);
  });

  it('an API serves without Redis until its read tables have an identity, and then with it', async () => {
    const name = 'alter table content_read';
    const hidden = new pg.Client(original);
    await hidden.connect();
    await hidden.query(`${name}.installation rename to not_there`);
    const api = await start(original);
    for (let n = 1; n <= 3; n++) {
      expect(await api.tags()).to.include({ status: 200, name: 'as it is', remaining: 1_000 - n });
    }
    expect(await namesInRedis()).to.deep.equal([]);

    await hidden.query(`${name}.not_there rename to installation`);
    await hidden.end();
    await eventually(async () => {
      expect((await api.tags()).status).to.equal(200);
      expect(await namesInRedis()).to.have.length(1);
    });
  });
});

async function copyOf(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const copy = new URL(url);
  copy.pathname = `/${name}_copy`;
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client(server.href);
  await client.connect();
  await client.query(
    `create database ${pg.escapeIdentifier(`${name}_copy`)} template ${pg.escapeIdentifier(name)}`,
  );
  await client.end();
  return copy.href;
}
