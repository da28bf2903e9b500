import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PROGRAM = fileURLToPath(new URL('./record-many.ts', import.meta.url));
const PROCESSES = 8;
const REQUESTS = 500;
const LIMIT = 100;

describe('RedisRequestLog in eight processes', () => {
  const redis = sharedRedis();
  const children: ChildProcess[] = [];

  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it('accepts exactly a hundred of four thousand concurrent requests', async () => {
    const args = [redis().url, freshId('key'), String(REQUESTS), String(LIMIT)];
    for (let n = 0; n < PROCESSES; n++) {
      children.push(fork(PROGRAM, args, { execArgv: ['--import=tsx'] }));
    }
    await Promise.all(children.map((child) => once(child, 'message')));
    const accepted = children.map(async (child) => {
      const answer = once(child, 'message');
      child.send('go');
      return Number((await answer)[0]);
    });
    const counts = await Promise.all(accepted);
    expect(counts.reduce((sum, count) => sum + count)).to.equal(LIMIT);
  });
});
