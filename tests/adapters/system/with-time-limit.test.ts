import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { expect } from 'chai';
import { withTimeLimit } from '../../../src/adapters/system/with-time-limit.js';

const LIMIT_MS = 20;

describe('A time limit', () => {
  it('ends the wait for an answer that does not arrive', async () => {
    const failure = await withTimeLimit(LIMIT_MS, new Promise(() => {})).catch(({ message }) => message);
    expect(failure).to.equal('no answer within 20 ms');
  });

  it('does not end before a process that was busy has read what has arrived meanwhile', async () => {
    const { port1: here, port2: there } = new MessageChannel();
    const answer = withTimeLimit(LIMIT_MS, once(here, 'message'));
    there.postMessage('an answer');
    const end = performance.now() + 10 * LIMIT_MS;
    while (performance.now() < end);
    expect(await answer).to.have.length(1);
    here.close();
  });
});
