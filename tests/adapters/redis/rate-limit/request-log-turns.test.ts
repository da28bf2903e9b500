import { expect } from 'chai';
import sinon from 'sinon';
import { requestLogName } from '../../../../src/adapters/redis/connection/key-names.js';
import { LIMITS } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import type { RateLimit } from '../../../../src/application/requests/rate-limit.js';
import { newKey } from '../../../../src/contracts/limits/request-log.keys.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { type ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
import { plainClient } from '../../../support/redis/plain-client.js';
import { limitOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const WINDOW = { limit: 2, lengthMs: 60_000 };
const PATIENCE_MS = 60_000;

describe('All calls of RedisRequestLog in one turn of the event loop', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  const keys = Array.from({ length: 50 }, newKey);
  let process: ConnectedRedis;
  let limit: RateLimit;

  beforeEach(async () => {
    process = await connect({ ...LIMITS, commandTimeoutMs: PATIENCE_MS });
    limit = limitOn(process.breaker, WINDOW, process.metrics);
    await client().flushall();
  });
  afterEach(() => sinon.restore());

  /** For each key, how many of three requests were accepted. */
  async function acceptedOfThree(): Promise<readonly number[]> {
    const verdicts = await Promise.all(
      keys.flatMap((key) => [key, key, key].map((each) => limit.limit(each))),
    );
    return keys.map((_, n) => verdicts.slice(3 * n, 3 * n + 3).filter(({ admitted }) => admitted).length);
  }

  it('are one command', async () => {
    await limit.limit(newKey());
    const sent = sinon.spy(process.client, 'sendCommand');
    await Promise.all(keys.map((key) => limit.limit(key)));
    expect(sent.args.map(([command]) => command.name)).to.deep.equal(['evalsha']);
  });

  it('send nothing for a request that the window of this process refuses', async () => {
    const key = newKey();
    for (let n = 0; n < WINDOW.limit; n++) await limit.limit(key);
    const sent = sinon.spy(process.client, 'sendCommand');
    expect(await limit.limit(key)).to.include({ admitted: false });
    expect(sent.args).to.deep.equal([]);
  });

  for (const [what, keep] of [
    ['a string', (name: string) => client().set(name, 'no list')],
    ['a list of other values', (name: string) => client().rpush(name, '1', 'two', '3')],
  ] as const) {
    it(`count each key, except one under whose name another program stores ${what}`, async () => {
      const [foreign = newKey()] = keys.slice(20);
      await keep(requestLogName(foreign.organizationId, foreign.id));
      for (const each of await acceptedOfThree()) expect(each).to.equal(WINDOW.limit);
      expect(process.metrics.of('limited-without-redis')).to.equal(3);
      await eventually(() =>
        expect(new Set(process.log.messages)).to.deep.equal(
          new Set(['Redis refuses a command, but not the probe: there is a foreign value under its key']),
        ),
      );
      for (const { organizationId, id } of keys) {
        const name = requestLogName(organizationId, id);
        if (id !== foreign.id) expect(await client().llen(name)).to.equal(WINDOW.limit);
      }
    });
  }

  it('fall back request by request if the command fails, and count as one failure', async () => {
    sinon.stub(process.client, 'sendCommand').callThrough().onFirstCall().rejects(new Error('lost'));
    for (const each of await acceptedOfThree()) expect(each).to.equal(WINDOW.limit);
    expect(process.metrics.of('limited-without-redis')).to.equal(3 * keys.length);
    expect(process.metrics.of('without-redis')).to.equal(1);
    expect(process.breaker.isOpen).to.equal(false);
  });
});
