import { createHash } from 'node:crypto';
import dns from 'node:dns';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import sinon from 'sinon';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import type { ApiProgram } from '../../../src/programs/api/api-program.js';
import { sendRequest } from '../../support/http/send-request.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { putInto } from '../../support/postgres/read-tables.js';
import { bindReadSide, extendedProgram } from '../../support/programs/extended-api.js';
import { RedisServer } from '../../support/redis/redis-server.js';
import { redisForTests } from '../../support/redis/test-redis.js';

const LIMIT = 50;
const NAME = 'redis.example';

describe("When Redis's address moves and the old server remains as a replica,", () => {
  const model = new MemoryReadModel(new SystemClock());
  const put = putInto(leadingWriter(model));
  let servers: readonly [RedisServer, RedisServer];
  let clients: readonly [Redis, Redis];
  let address: TcpProxy;
  const programs: ApiProgram[] = [];

  async function startProgram(url: string): Promise<ApiProgram> {
    const settings = { REDIS_URL: url, RATE_LIMIT_MAX: String(LIMIT) };
    const program = extendedProgram([{ api: (bind) => bindReadSide(bind, model) }], settings);
    programs.push(program);
    await program.start();
    return program;
  }

  async function newKey(): Promise<string> {
    const key = freshId('key-of-a-caller');
    const hash = createHash('sha256').update(key).digest('hex');
    await put('apiKeys', aKey({ id: key, organizationId: freshId('org'), hash }));
    return key;
  }

  const get = (program: ApiProgram, key: string) =>
    sendRequest(program.address ?? '', '/api/v1/tags', { 'X-API-Key': key });

  /** Expects that two programs count the requests of a key together and share an answer, on the new server. */
  async function expectShared(one: ApiProgram, other: ApiProgram): Promise<void> {
    await eventually(async () => {
      const key = await newKey();
      const answers = [await get(one, key), await get(other, key)];
      expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).to.deep.equal(
        [LIMIT - 1, LIMIT - 2].map(String),
      );
      expect(answers.map(({ headers }) => headers['x-cache'])).to.deep.equal(['MISS', 'HIT']);
    });
    expect(await clients[1].keys('*:requests:*')).not.to.deep.equal([]);
  }

  before(async function () {
    const machine = await redisForTests(this);
    const start = () => RedisServer.start(machine, { settings: { 'repl-diskless-sync-delay': 0 } });
    servers = [await start(), await start()];
    clients = [new Redis(servers[0].url), new Redis(servers[1].url)];
  });
  after(async () => {
    for (const client of clients ?? []) client.disconnect();
    await Promise.all((servers ?? []).map((server) => server.stop()));
  });

  beforeEach(async () => {
    for (const client of clients) {
      await client.replicaof('NO', 'ONE');
      await client.flushall();
    }
    address = await TcpProxy.before(servers[0].port);
    const url = address.url(servers[0].url);
    await startProgram(url);
    await startProgram(url);
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.stop()));
    await address.stop();
  });

  async function move(): Promise<void> {
    address.moveTo(servers[1].port);
    await clients[0].replicaof('127.0.0.1', servers[1].port);
  }

  it('limit and cache are shared again on the new server, without a restart', async () => {
    const [one, other] = programs as [ApiProgram, ApiProgram];
    await get(one, await newKey());
    await move();
    await expectShared(one, other);
  });

  it('a DNS name is resolved again for each connection, so that limit and cache are shared on the new server', async () => {
    const system = dns.lookup as (name: string, ...rest: readonly unknown[]) => void;
    const lookUp = sinon.stub(dns, 'lookup');
    lookUp.callsFake(((name: string, ...rest: readonly unknown[]) =>
      system(name === NAME ? '127.0.0.1' : name, ...rest)) as typeof dns.lookup);
    const url = `redis://${NAME}:${address.port}`;
    try {
      const [one, other] = [await startProgram(url), await startProgram(url)];
      const before = lookUp.withArgs(NAME).callCount;
      // As with a managed service, the name leads to another server, and connections to the old primary are cut.
      await address.cut();
      await move();
      await address.restore();
      await expectShared(one, other);
      // Each process has two connections.
      expect(lookUp.withArgs(NAME).callCount).to.be.at.least(before + 4);
    } finally {
      lookUp.restore();
    }
  });

  it('the new server is found at the address even if the old one stops answering', async () => {
    const [one, other] = programs as [ApiProgram, ApiProgram];
    await get(one, await newKey());
    address.moveTo(servers[1].port);
    await servers[0].pause();
    try {
      await expectShared(one, other);
    } finally {
      await servers[0].resume();
    }
  });
});
