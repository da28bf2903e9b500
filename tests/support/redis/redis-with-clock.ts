import type { Redis } from 'ioredis';

const TIME = "redis.call('TIME')";
const CLOCK = 'clock-of-the-test';
const SET_CLOCK = `redis.call('DEL', ARGV[1]) redis.call('RPUSH', ARGV[1], ARGV[2], ARGV[3])`;

/** A client whose scripts run as they are, but for TIME, which says what the test has set. Elsewhere it is the client itself. */
export function withClock(redis: Redis): { client: Redis; setTime(millis: number): Promise<void> } {
  const refuseSha = async () => {
    throw new Error('NOSCRIPT as after a restart');
  };
  const runWithClock = (text: string, ...rest: [number, ...(string | number)[]]) => {
    const parts = text.split(TIME);
    if (parts.length !== 2) throw new Error(`The script asks the time ${parts.length - 1} times`);
    return redis.eval(parts.join(`redis.call('LRANGE', '${CLOCK}', 0, -1)`), ...rest);
  };
  const client = new Proxy(redis, {
    get(target, name) {
      if (name === 'evalsha') return refuseSha;
      if (name === 'eval') return runWithClock;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const setTime = async (millis: number) => {
    const time = [String(Math.floor(millis / 1000)), String((millis % 1000) * 1000 + 999)];
    // By a script that is told of no names: a client that names all after an installation would name this one, too.
    await redis.eval(SET_CLOCK, 0, CLOCK, ...time);
  };
  return { client, setTime };
}
