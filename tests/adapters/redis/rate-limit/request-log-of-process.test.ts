import { expect } from 'chai';
import type { RedisClient } from '../../../../src/adapters/redis/connection/connect-redis.js';
import { newKey } from '../../../../src/contracts/limits/request-log.keys.js';
import { SettableClock } from '../../../support/clock/settable-clock.js';
import { requestLogOn } from '../../../support/redis/request-log-on.js';

const WINDOW = { limit: 5, lengthMs: 60_000 };

describe('The window of a process, beside a Redis that forgets every request at once,', () => {
  let sent: number;
  let accepts: 0 | 1;
  let log: ReturnType<typeof requestLogOn>;
  let clock: SettableClock;
  let replyMs: number;

  beforeEach(() => {
    sent = 0;
    accepts = 1;
    replyMs = 0;
    clock = new SettableClock();
    const evalshaBuffer = async (_sha: string, names: number) => {
      sent += names;
      clock.advance(replyMs);
      return [Date.now(), ...Array.from({ length: names }, () => [accepts, 1, 0, 0])];
    };
    const redis = { evalshaBuffer } as unknown as RedisClient;
    log = requestLogOn({ slotOf: () => 0, run: (command) => command(redis) }, { clock });
  });

  it('has room for the limit, also for requests that are under way together', async () => {
    const key = newKey();
    const states = await Promise.all(Array.from({ length: 20 }, () => log.record(key, WINDOW)));
    expect(states.filter(({ accepted }) => accepted)).to.have.length(WINDOW.limit);
    expect(states.map(({ count }) => count)).to.include.members([1, 2, 3, 4, 5]);
  });

  it('refuses without asking Redis when it is full', async () => {
    const key = newKey();
    for (let n = 0; n < 20; n++) await log.record(key, WINDOW);
    expect(sent).to.equal(WINDOW.limit);
  });

  it('counts a request from its arrival on, however late the reply of Redis is', async () => {
    const key = newKey();
    replyMs = 90;
    for (let n = 0; n < WINDOW.limit; n++) await log.record(key, WINDOW);
    const { now, blockingAt, accepted } = await log.record(key, WINDOW);
    expect([accepted, now - blockingAt]).to.deep.equal([false, WINDOW.limit * replyMs]);
  });

  it('keeps its room when Redis refuses', async () => {
    const key = newKey();
    accepts = 0;
    for (let n = 0; n < 2 * WINDOW.limit; n++) {
      expect((await log.record(key, WINDOW)).accepted).to.equal(false);
    }
    accepts = 1;
    expect((await log.record(key, WINDOW)).accepted).to.equal(true);
  });
});
