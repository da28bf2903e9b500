import { expect } from 'chai';
import { LIMITS } from '../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { type ConnectedRedis, processesOf } from '../../support/redis/connected-redis.js';
import { plainClient } from '../../support/redis/plain-client.js';
import { limitOn } from '../../support/redis/request-log-on.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const MEGABYTE = 1024 * 1024;
const CLOSED = 'Redis is available again';
const WINDOW = { limit: 1_000, lengthMs: 60_000 };

describe('A Redis whose memory is full', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  let process: ConnectedRedis;

  beforeEach(async () => {
    await client().config('SET', 'maxmemory', '0');
    await client().flushall();
    process = await connect({ ...LIMITS, commandTimeoutMs: 60_000 });
  });

  async function allowLess(bytes: number): Promise<void> {
    const used = Number(/used_memory:(\d+)/.exec(await client().info('memory'))?.[1]);
    await client().config('SET', 'maxmemory-policy', 'noeviction');
    await client().config('SET', 'maxmemory', String(used - bytes));
  }

  const request = () =>
    limitOn(process.breaker, WINDOW, process.metrics).limit({ id: 'key', organizationId: freshId('org') });

  it('that refuses writes does not count as available after each new connection', async () => {
    await request();
    await allowLess(MEGABYTE / 2);
    let connections = 0;
    process.client.on('ready', () => connections++);
    await request();
    await eventually(() => expect(connections).to.be.at.least(3));
    expect(process.log.messages).not.to.include(CLOSED);

    await client().config('SET', 'maxmemory', '0');
    await eventually(() => expect(process.breaker.isOpen).to.equal(false));
    await eventually(() => expect(process.log.messages.filter((text) => text === CLOSED)).to.have.length(1));
  });
});
