import { expect } from 'chai';
import { aSourceBlog } from '../../../src/contracts/support/source-rows.js';
import { Pace } from '../../../src/domain/sync/pace.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { aLinkedTag, aSourceTag } from './source-terms.js';
import { WorkerUnderTest } from './worker-under-test.js';

const MOST = 512;

describe('Pace', () => {
  let clock: SettableClock;
  let pace: Pace;

  /** The number of rows in each step, if a step takes so long. */
  const sizes = async (steps: number, takes: (size: number) => number, stepKind = 'kind') => {
    const given: number[] = [];
    for (let n = 0; n < steps; n++) {
      await pace.during(stepKind, MOST, async (size) => {
        given.push(size);
        clock.advance(takes(size));
      });
    }
    return given;
  };
  /** The duration of a step on a machine that handles so many rows in a millisecond, plus 5 ms for each step. */
  const rowsAMillisecond = (rows: number) => (size: number) => 5 + size / rows;

  beforeEach(() => {
    clock = new SettableClock();
    pace = new Pace(clock);
  });

  it('keeps steps at their maximum size while no edit arrives', async () => {
    expect(await sizes(3, rowsAMillisecond(4))).to.eql([MOST, MOST, MOST]);
  });

  it('shortens steps while edits arrive, as estimated from the previous step, and keeps that size', async () => {
    pace.changesFound(false);
    expect(await sizes(5, rowsAMillisecond(4))).to.eql([MOST, 64, 64, 64, 64]);
    expect(await sizes(3, rowsAMillisecond(8))).to.eql([64, 64, 64]);
    expect(await sizes(3, rowsAMillisecond(100))).to.eql([64, 128, 256]);
  });

  it('uses the estimate of earlier steps when edits start later', async () => {
    await sizes(1, rowsAMillisecond(4));
    pace.changesFound(false);
    expect(await sizes(1, rowsAMillisecond(4))).to.eql([64]);
    expect(await sizes(1, rowsAMillisecond(4), 'another kind')).to.eql([MOST]);
  });

  it('keeps a minimum of rows in a step, however long they take', async () => {
    pace.changesFound(false);
    expect(await sizes(3, () => 1_000)).to.eql([MOST, 32, 32]);
    expect(await pace.during('kind', 1, async (size) => size)).to.equal(1);
  });

  it('allows eight times as long while many changes wait, and returns to short steps afterwards', async () => {
    pace.changesFound(true);
    expect(await sizes(2, rowsAMillisecond(4))).to.eql([MOST, MOST]);
    expect(await sizes(3, rowsAMillisecond(1))).to.eql([MOST, 128, 128]);
    pace.changesFound(false);
    expect(await sizes(2, rowsAMillisecond(1))).to.eql([32, 32]);
    pace.changesFound(true);
    expect(await sizes(1, rowsAMillisecond(1))).to.eql([128]);
  });

  it('returns to short steps as soon as no change waits', async () => {
    pace.changesFound(true);
    expect(await sizes(2, rowsAMillisecond(1))).to.eql([MOST, 128]);
    pace.noChangeFound();
    expect(await sizes(1, rowsAMillisecond(1))).to.eql([32]);
  });

  it('returns to large steps when edits end', async () => {
    pace.changesFound(false);
    await sizes(3, rowsAMillisecond(4));
    clock.advance(10_000);
    expect(await sizes(1, rowsAMillisecond(4))).to.eql([MOST]);
  });

  it('sets the step size of the worker while it finds edits', async () => {
    const given = new WorkerUnderTest();
    const tags = [aLinkedTag({ id: 'tag' })];
    for (let n = 0; n < 1000; n++) given.source.put('blogs', aSourceBlog({ id: `blog_${n}`, tags }));
    await given.settle();
    const slowRead = given.source.read.bind(given.source);
    given.source.read = (kind, ids) => {
      // The next rows are read at the same time.
      given.clock.advance(ids.length / 8);
      return slowRead(kind, ids);
    };
    const doneAfterEach: (number | undefined)[] = [];
    given.put('tags', aSourceTag({ id: 'tag', name: 'New' }));
    for (;;) {
      await given.worker.step(given.epoch);
      const job = await given.list.next(['tags']);
      if (job === null) break;
      doneAfterEach.push(job.progress?.done);
    }

    expect(doneAfterEach.filter((done) => done !== undefined).slice(0, 3)).to.eql([500, 562, 624]);
  });
});
