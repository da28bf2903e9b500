import { expect } from 'chai';
import { requestLogName } from '../../../../src/adapters/redis/connection/key-names.js';
import type { RedisBreaker } from '../../../../src/adapters/redis/connection/redis-breaker.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import type { WindowState } from '../../../../src/domain/model/window.js';
import { processesOf } from '../../../support/redis/connected-redis.js';
import { plainClient } from '../../../support/redis/plain-client.js';
import { recordOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const MINUTE = { limit: 5, lengthMs: 60_000 };

describe('RedisRequestLog', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  let breaker: RedisBreaker;
  let key: { id: string; organizationId: string };
  let name: string;

  beforeEach(async () => {
    ({ breaker } = await connect({ commandTimeoutMs: 60_000 }));
    key = { id: freshId('key'), organizationId: freshId('org') };
    name = requestLogName(key.organizationId, key.id);
  });

  async function record(times: number, window = MINUTE): Promise<WindowState[]> {
    return Promise.all(Array.from({ length: times }, () => recordOn(breaker, key, window)));
  }

  it('writes nothing when it rejects under a lowered limit, even if some entries have left the window', async () => {
    const now = Date.now();
    const times = [now - 70_000, now - 65_000, now - 20_000, now - 10_000, now];
    await client().rpush(name, ...times);
    await client().pexpire(name, 60_000);
    const before = await client().dumpBuffer(name);
    const [state] = await record(1, { ...MINUTE, limit: 2 });
    expect(state).to.include({ accepted: false, count: 3, oldestAt: now - 20_000, blockingAt: now - 10_000 });
    expect(await client().dumpBuffer(name)).to.deep.equal(before);
  });

  it('keeps no more entries than the limit, and none after the window has ended', async () => {
    const window = { limit: 3, lengthMs: 60 };
    for (let n = 0; n < 30; n++) {
      await record(4, window);
      expect(await client().llen(name)).to.be.at.most(window.limit);
      expect(await client().pttl(name)).to.be.at.most(window.lengthMs);
    }
    await eventually(async () => expect(await client().exists(name)).to.equal(0));
  });

  it('keeps a key as long as its newest request counts', async () => {
    await record(1);
    await client().pexpire(name, 10_000);
    await record(1);
    expect(await client().pttl(name)).to.be.within(59_000, 60_000);
  });

  it('keeps a key whose clock stands still until the clock has caught up, and for one more window', async () => {
    await client().rpush(name, Date.now() + 10_000);
    const [state] = await record(1);
    expect(state).to.include({ accepted: true, count: 2 });
    expect(await client().pttl(name)).to.be.within(69_000, 70_000);
  });

  it('continues after Redis has lost its scripts', async () => {
    await record(1);
    await client().script('FLUSH');
    const states = await record(3);
    expect(states.map(({ count }) => count).toSorted()).to.deep.equal([2, 3, 4]);
  });
});
