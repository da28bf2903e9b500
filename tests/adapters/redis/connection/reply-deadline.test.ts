import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { withDeadline } from '../../../../src/adapters/redis/connection/reply-deadline.js';
import { bytesGrownOldBy } from '../../../support/programs/held-memory.js';

const REFUSAL = 'Redis did not answer within 100 ms';

describe('The deadline of a reply', () => {
  afterEach(() => {
    sinon.restore();
  });

  /** How the reply has ended so far. */
  function endsOf(reply: Promise<string>): string[] {
    const ends: string[] = [];
    withDeadline(100, reply).then(
      (answer) => ends.push(answer),
      (error: Error) => ends.push(error.message),
    );
    return ends;
  }

  it('rejects a reply that has not arrived within its time, and not earlier', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] });
    const ends = endsOf(new Promise(() => {}));
    await clock.tickAsync(99);
    expect(ends).to.deep.equal([]);
    await clock.tickAsync(2);
    expect(ends).to.deep.equal([REFUSAL]);
  });

  it('returns a reply that arrived in time, and has no timer afterwards', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] });
    const ends = [endsOf(Promise.resolve('reply')), endsOf(Promise.reject(new Error('refused')))];
    await clock.tickAsync(1_000);
    expect(ends).to.deep.equal([['reply'], ['refused']]);
    expect(clock.countTimers()).to.equal(0);
  });

  it('counts the time in which its own process was busy as one slice of ten, however long it was', async () => {
    const turns = async () => {
      for (let n = 0; n < 5; n++) await nextTurn();
      return 'reply';
    };
    const reply = turns();
    const ends = endsOf(reply);
    const end = performance.now() + 150;
    while (performance.now() < end);
    await reply;
    await nextTurn();
    expect(ends).to.deep.equal(['reply']);
  });

  it('releases ended replies without a full garbage collection', async () => {
    const overlapping = async () => {
      const reply = nextTurn(new Array(100));
      await Promise.race(Array.from({ length: 20 }, () => withDeadline(100, reply)));
    };
    const grownOld = await bytesGrownOldBy(overlapping, 5_000);
    expect(grownOld).to.be.below(2_000);
  });
});
