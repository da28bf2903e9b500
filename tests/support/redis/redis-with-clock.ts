import type { Redis } from 'ioredis';

const TIME = "redis.call('TIME')";
const CLOCK = 'clock-of-the-test';
const SET_CLOCK = `redis.call('DEL', ARGV[1]) redis.call('RPUSH', ARGV[1], ARGV[2], ARGV[3])`;

/**
 * A client whose scripts run unchanged, but read the time that the test has set. For other commands it is the
 * given client.
 */
export function withClock(redis: Redis): { client: Redis; setTime(millis: number): Promise<void> } {
  const refuseSha = async () => {
    throw new Error('NOSCRIPT as after a restart');
  };
  const runWithClock = (text: string, ...rest: [number, ...(string | number)[]]) => {
    const parts = text.split(TIME);
    if (parts.length !== 2) throw new Error(`The script reads the time ${parts.length - 1} times`);
    return redis.eval(parts.join(`redis.call('LRANGE', '${CLOCK}', 0, -1)`), ...rest);
  };
  const client = new Proxy(redis, {
    get(target, name) {
      if (name === 'evalshaBuffer') return refuseSha;
      if (name === 'evalBuffer') return runWithClock;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const setTime = async (millis: number) => {
    const time = [String(Math.floor(millis / 1000)), String((millis % 1000) * 1000 + 999)];
    // Passed as a script without keys: a client that prefixes all keys with the installation would prefix this one,
    // too.
    await redis.eval(SET_CLOCK, 0, CLOCK, ...time);
  };
  return { client, setTime };
}
