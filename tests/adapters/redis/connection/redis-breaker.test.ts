import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { ANSWERS } from '../../../../src/adapters/redis/cache/redis-response-cache.js';
import { NO_ORGANIZATION } from '../../../../src/adapters/redis/connection/key-names.js';
import { RedisBreaker } from '../../../../src/adapters/redis/connection/redis-breaker.js';
import { LIMITS } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { redisBreaker } from '../../../../src/composition/redis-state.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const LOST = 'Redis is unavailable: each process works without it';
const BACK = 'Redis is available again';

describe('RedisBreaker', () => {
  const redis = sharedRedis();
  const connect = processesOf(() => redis().url);
  let process: ConnectedRedis;
  let sent: number;

  beforeEach(async () => {
    process = await connect();
    sent = 0;
  });

  const echo = (breaker: RedisBreaker) =>
    breaker.attempt(NO_ORGANIZATION, (client) => {
      sent++;
      return client.echo('Redis');
    });

  async function expectReturn(): Promise<void> {
    await eventually(async () => expect(await echo(process.breaker)).to.equal('Redis'));
    expect(process.log.messages).to.deep.equal([LOST, BACK]);
  }

  it('returns what Redis replies, and logs nothing', async () => {
    expect(await echo(process.breaker)).to.equal('Redis');
    expect(process.log.messages).to.deep.equal([]);
    expect(process.metrics.of('without-redis')).to.equal(0);
  });

  const outages = {
    paused: { begin: () => redis().pause(), end: () => redis().resume() },
    killed: { begin: () => redis().kill(), end: () => redis().startEmpty() },
  };
  for (const [outage, { begin, end }] of Object.entries(outages)) {
    it(`sends Redis at most two commands while it is ${outage}, and no more until it is available again`, async () => {
      await begin();
      try {
        for (let failures = 0; failures < 2; failures++) {
          expect(await echo(process.breaker)).to.equal(null);
        }
        const later = await Promise.all(Array.from({ length: 200 }, () => echo(process.breaker)));
        expect(new Set(later)).to.deep.equal(new Set([null]));
        expect(sent).to.be.at.most(2);
        expect(process.metrics.of('without-redis')).to.equal(202);
        expect(process.log.messages).to.deep.equal([LOST]);
      } finally {
        await end();
      }
      await expectReturn();
    });
  }

  it('counts a Redis that answers the probe as available, although a command was not answered in time', async () => {
    const answer = process.breaker.attempt(NO_ORGANIZATION, () => new Promise(() => {}));
    expect(await answer).to.equal(null);
    await pause(100);
    expect(process.breaker.isOpen).to.equal(false);
    expect(process.log.messages).to.deep.equal([]);
  });

  it('serves a process that starts while Redis is unavailable, and notifies it when Redis is available again', async () => {
    await redis().kill();
    try {
      const late = await connect();
      expect(await Promise.all([echo(late.breaker), echo(late.breaker)])).to.deep.equal([null, null]);
      process = late;
    } finally {
      await redis().startEmpty();
    }
    await expectReturn();
  });

  function block(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  // Longer than the deadline of a command, and longer than a silent server keeps its connection.
  for (const busyMs of [300, 1_500]) {
    it(`does not treat ${busyMs} ms in which its own process was busy as an outage`, async () => {
      for (let n = 0; n < 3; n++) {
        const answer = echo(process.breaker);
        // The command has been sent by now: the reply arrives while the process is busy.
        await nextTurn();
        await nextTurn();
        block(busyMs);
        expect(await answer).to.equal('Redis');
      }
      expect(process.metrics.of('without-redis')).to.equal(0);
    });
  }

  it('reports whether Redis answers, even before a command has failed', async () => {
    expect(await process.breaker.answers()).to.equal(true);
    await redis().pause();
    try {
      expect(await process.breaker.answers()).to.equal(false);
      expect(process.breaker.isOpen).to.equal(false);
    } finally {
      await redis().resume();
    }
    expect(await process.breaker.answers()).to.equal(true);
  });

  it('answers with the installation that both breakers of a server still have to read', async () => {
    const read = async () => 'an-installation';
    const faster = new RedisBreaker(
      new Redis(redis().url),
      process.log,
      process.metrics,
      LIMITS,
      redisBreaker,
      null,
    ).namedBy(read);
    const breaker = new RedisBreaker(
      new Redis(redis().url),
      process.log,
      process.metrics,
      ANSWERS,
      redisBreaker,
      faster,
    ).namedBy(read);
    await Promise.all([faster.connected(), breaker.connected()]);
    const answers = await breaker.answers();
    await Promise.all([faster.close(), breaker.close()]);
    expect(answers).to.equal(true);
  });

  it('does not count as answering if Redis refuses a command of requests, and says why', async () => {
    const limited = await ConnectedRedis.connect([redis().url], LIMITS);
    const admin = new Redis(redis().url);
    await admin.acl('SETUSER', 'default', '-@scripting');
    try {
      expect(await limited.breaker.answers()).to.equal(false);
      expect(limited.breaker.reason).to.match(/NOPERM|no permissions/);
      expect(await limited.client.ping()).to.equal('PONG');
      await admin.acl('SETUSER', 'default', '+@all');
      expect(await limited.breaker.answers()).to.equal(true);
      expect(limited.breaker.reason).to.equal(null);
    } finally {
      await admin.acl('SETUSER', 'default', '+@all');
      admin.disconnect();
      await limited.close();
    }
  });

  it('does not use a Redis that refuses scripts, and logs this once', async () => {
    const admin = new Redis(redis().url);
    await admin.acl('SETUSER', 'limited', 'on', '>password', '~*', '+@all', '-@scripting');
    const url = new URL(redis().url);
    url.username = 'limited';
    url.password = 'password';
    const limited = await ConnectedRedis.connect([url.href], LIMITS);
    try {
      const answer = limited.breaker.attempt(NO_ORGANIZATION, (client) => client.eval('return 1', 0));
      expect(await answer).to.equal(null);
      let connections = 0;
      limited.client.on('ready', () => connections++);
      await eventually(() => expect(connections).to.be.at.least(3));
      expect(limited.breaker.isOpen).to.equal(true);
      expect(limited.log.messages).to.deep.equal([LOST]);
    } finally {
      await limited.close();
      await admin.acl('DELUSER', 'limited');
      admin.disconnect();
    }
  });
});
