import { createHash } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectWorker } from '../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../src/adapters/sql/worker-connection.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aKey, aTag } from '../../../src/contracts/support/rows.js';
import type { ApiProgram } from '../../../src/programs/api/api-program.js';
import { sendRequest } from '../../support/http/send-request.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { putInto } from '../../support/postgres/read-tables.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { extendedProgram } from '../../support/programs/extended-api.js';
import { plainClient } from '../../support/redis/plain-client.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const KEY = 'key-of-both-installations';
const HASH = createHash('sha256').update(KEY).digest('hex');

/** An API and the writer of its read tables. */
class Installation {
  private constructor(
    private readonly worker: WorkerConnection,
    private readonly api: ApiProgram,
  ) {}

  static async start(url: string, redisUrl: string): Promise<Installation> {
    const api = extendedProgram([], {
      READ_DATABASE_URL: url,
      REDIS_URL: redisUrl,
      RATE_LIMIT_MAX: '1000',
    });
    await api.start();
    return new Installation(connectWorker(url, 'test'), api);
  }

  async putTag(name: string): Promise<void> {
    const put = putInto(leadingWriter(this.worker.database));
    await put('tags', aTag({ id: 'tag', organizationId: 'org', name }));
  }

  async tags() {
    const answer = await sendRequest(this.api.address ?? '', '/api/v1/tags', { 'X-API-Key': KEY });
    const { 'x-cache': cache, 'x-ratelimit-remaining': remaining } = answer.headers;
    const name = answer.status === 200 ? answer.json().data[0]?.name : null;
    return { status: answer.status, cache, remaining: Number(remaining), name };
  }

  async stop(): Promise<void> {
    await Promise.all([this.api.stop(), this.worker.close()]);
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
    const worker = connectWorker(original, 'test');
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
});

async function copyOf(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const copy = new URL(url);
  copy.pathname = `/${name}_copy`;
  const server = new URL(url);
  server.pathname = '/postgres';
  await runSql(
    server.href,
    `create database ${pg.escapeIdentifier(`${name}_copy`)} template ${pg.escapeIdentifier(name)}`,
  );
  return copy.href;
}
