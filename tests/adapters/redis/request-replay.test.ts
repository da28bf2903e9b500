import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import sinon from 'sinon';
import { requestLogName } from '../../../src/adapters/redis/key-names.js';
import { runRecord } from '../../../src/adapters/redis/record-script.js';
import { RedisRequestLog } from '../../../src/adapters/redis/redis-request-log.js';
import { MonotonicClock } from '../../../src/adapters/system/monotonic-clock.js';
import { ProcessMetrics } from '../../../src/adapters/system/process-metrics.js';
import { newKey } from '../../../src/contracts/request-log.keys.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { FaultyRedis } from '../../support/redis/faulty-redis.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const WINDOW = { limit: 10_000, lengthMs: 600_000 };
const WITHOUT_REDIS = 2_000;

describe('A request that was accepted without Redis', () => {
  const redis = sharedRedis();
  let client: Redis;

  before(() => {
    client = new Redis(redis().url);
  });
  after(() => client?.disconnect());
  afterEach(() => sinon.restore());

  const logOn = (breaker: ConstructorParameters<typeof RedisRequestLog>[0]) =>
    new RedisRequestLog(breaker, new MonotonicClock(), new ProcessMetrics());
  const recordMany = (log: RedisRequestLog, key: ReturnType<typeof newKey>, requests: number) =>
    Promise.all(Array.from({ length: requests }, () => log.record(key, WINDOW)));
  /** Only marks are numbers with this many digits. */
  const marksIn = (args: readonly unknown[]) =>
    args.flatMap((argument) => String(argument).match(/\b\d{16}\b/g) ?? []);
  const counted = ({ organizationId, id }: ReturnType<typeof newKey>) =>
    client.llen(requestLogName(organizationId, id));

  it('is replayed once, however many requests arrive when Redis is available again', async () => {
    const faulty = new FaultyRedis(client);
    const [log, key] = [logOn(faulty), newKey()];
    faulty.outcome = 'unavailable';
    for (let n = 0; n < WITHOUT_REDIS; n += 100) {
      await recordMany(log, key, 100);
      // A server never accepts more requests in a millisecond than there are marks for it.
      await pause(2);
    }
    faulty.outcome = 'answered';
    const sent = sinon.spy(client, 'evalsha');
    await log.record(key, WINDOW);
    await recordMany(log, key, 100);
    await eventually(async () => expect(await counted(key)).to.equal(WITHOUT_REDIS + 101));

    const replayed = sent.args.flatMap(marksIn);
    expect(new Set(replayed)).to.have.length(WITHOUT_REDIS);
    expect(replayed).to.have.length(WITHOUT_REDIS);
  });

  it('is replayed in commands of limited size, however many keys there are', async () => {
    const faulty = new FaultyRedis(client);
    const [log, keys] = [logOn(faulty), Array.from({ length: 30 }, newKey)];
    // From now on, the time of Redis's clock is known.
    await Promise.all(keys.map((key) => log.record(key, WINDOW)));
    faulty.outcome = 'unavailable';
    for (const key of keys) await recordMany(log, key, 40);
    faulty.outcome = 'answered';
    const sent = sinon.spy(client, 'evalsha');
    await Promise.all(keys.map((key) => log.record(key, WINDOW)));
    await eventually(async () => {
      for (const key of keys) expect(await counted(key)).to.equal(42);
    });
    expect(sent.args.flatMap(marksIn)).to.have.length(30 * 40);
    for (const args of sent.args) expect(marksIn(args).length).to.be.at.most(500);
  });

  it('is inserted into a long log in its order, and older entries are not touched', async () => {
    const log = freshId('log');
    const now = Date.now() * 1_000;
    const old = Array.from({ length: 10_000 }, (_, n) => now - 50_000_000 + 2 * n);
    const [inside, late] = [old.slice(9_000), now - 10_000_000];
    await client.rpush(log, ...old);
    await client.config('RESETSTAT');
    const replayed = [late + 3, ...inside.map((mark) => mark + 1), ...inside, late + 1];
    const names = { log, generation: freshId('generation') };
    const calls = [{ names, limit: 0, lengthMs: 60_000, sentAt: 0, replayed }];
    const [reply] = await runRecord(client, calls);

    expect(reply).to.be.an('array').with.property('1', 11_002);
    const present = (await client.lrange(log, 0, -1)).map(Number);
    expect(present).to.eql(
      [...old, ...inside.map((mark) => mark + 1), late + 1, late + 3].sort((a, b) => a - b),
    );
    expect(await client.info('commandstats')).to.match(/cmdstat_rpush:calls=3,/);
    await runRecord(client, calls);
    expect(await client.info('commandstats')).to.match(/cmdstat_rpush:calls=3,/);
  });

  it('is replayed to the available masters of a cluster while another one is unavailable', async () => {
    const faulty = new FaultyRedis(client);
    const log = logOn(faulty);
    const [lost, present] = [newKey(), newKey()];
    await recordMany(log, lost, 1);
    await recordMany(log, present, 1);
    await client.flushall();
    const lostName = requestLogName(lost.organizationId, lost.id);
    sinon.stub(faulty, 'isOpenFor').callsFake((name) => name === lostName);
    faulty.reconnect();

    await eventually(async () => expect(await counted(present)).to.equal(1));
    expect(await counted(lost)).to.equal(0);
  });
});
