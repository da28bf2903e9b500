import { expect } from 'chai';
import sinon from 'sinon';
import { FollowedGenerations } from '../../../src/application/requests/followed-generations.js';
import { Staleness } from '../../../src/application/requests/staleness.js';
import type {
  GenerationQuestion,
  GenerationReading,
  Generations,
} from '../../../src/domain/ports/reading/generations.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

/** A server of the read tables. */
class Table implements Generations {
  stored = new Map<string, number>();
  isAway = false;
  server = 'one';
  isStandby = false;
  syncAgeMs = 0;
  questions: GenerationQuestion[] = [];

  raise(organizationId: string, generation: number): void {
    this.stored.set(organizationId, generation);
  }

  async read(question: GenerationQuestion): Promise<GenerationReading> {
    this.questions.push(question);
    if (this.isAway) throw new Error('the server is away');
    return this.state(question);
  }

  state({ above, limit, organizationIds }: GenerationQuestion): GenerationReading {
    const all = [...this.stored].map(([organizationId, generation]) => ({ organizationId, generation }));
    return {
      server: this.server,
      isStandby: this.isStandby,
      syncAgeMs: this.syncAgeMs,
      newest: Math.max(0, ...this.stored.values()),
      raised: all.filter(({ generation }) => generation > above).slice(0, limit),
      current: new Map([...this.stored].filter(([id]) => organizationIds.includes(id))),
    };
  }
}

describe('FollowedGenerations', () => {
  let clock: SettableClock;
  let maxSyncAgeMs: number | null;
  let table: Table;
  let generations: FollowedGenerations;
  let inTime: (look: Promise<void>) => Promise<void>;

  const look = () => generations.look().catch(() => {});
  const current = async (organizationId = 'org') => generations.current(organizationId);
  const failureOf = (organizationId = 'org') =>
    current(organizationId).catch((error: Error) => error.message);

  beforeEach(() => {
    clock = new SettableClock();
    inTime = (look) => look;
    maxSyncAgeMs = null;
    table = new Table();
    generations = new FollowedGenerations(table, new Staleness(60_000), maxSyncAgeMs, clock, inTime);
    table.raise('org', 5);
  });

  it('reads an organization once, and then learns of its raises from looks', async () => {
    expect(await current()).to.equal(5);
    table.raise('org', 9);
    await look();
    expect(await current()).to.equal(9);
    expect(table.questions).to.have.length(2);
  });

  it('looks once a second after ten seconds without a request, until there is one', async () => {
    await current();
    clock.advance(10_001);
    table.questions = [];
    for (let tick = 0; tick < 100; tick++) {
      await generations.lookIfDue();
      clock.advance(100);
    }
    expect(table.questions).to.have.length(10);
    table.raise('org', 9);
    expect(await current()).to.equal(9);
    table.questions = [];
    for (let tick = 0; tick < 100; tick++) {
      await generations.lookIfDue();
      clock.advance(100);
    }
    expect(table.questions).to.have.length(100);
  });

  it('reads many organizations at once', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `org ${n}`);
    for (const [n, id] of ids.entries()) table.raise(id, 10 + n);
    expect(await Promise.all(ids.map(current))).to.deep.equal(ids.map((_, n) => 10 + n));
    expect(table.questions).to.have.length(1);
  });

  it('asks a server only for what was raised above the highest that it has seen', async () => {
    await current();
    table.raise('other', 7);
    await look();
    await look();
    expect(table.questions.map(({ above }) => above).slice(1)).to.deep.equal([5, 7]);
  });

  it('shows no organization as never raised, and follows it', async () => {
    expect(await current('new')).to.equal(0);
    table.raise('new', 6);
    await look();
    expect(await current('new')).to.equal(6);
  });

  it('misses no raise while it reads an organization', async () => {
    await look();
    const gate = new Gate<GenerationReading>();
    const read = sinon.stub(table, 'read').callsFake(() => gate.wait());
    const reading = current();
    await gate.arrivalOf('the look');
    const before = table.state({ above: 5, limit: 9, organizationIds: ['org'] });
    table.raise('org', 9);
    read.restore();
    const later = look();
    gate.open(before);
    expect(await reading).to.equal(5);
    await later;
    expect(await current()).to.equal(9);
  });

  it('looks again, once, if a raise was notified during a look', async () => {
    const gate = new Gate<GenerationReading>();
    const read = sinon.stub(table, 'read').callsFake(() => gate.wait());
    const first = look();
    await gate.arrivalOf('the first look');
    const later = [look(), look(), look()];
    gate.open(table.state({ above: 0, limit: 0, organizationIds: [] }));
    await Promise.all([first, ...later]);
    expect(read.callCount).to.equal(2);
  });

  it('counts for a quarter of a second after the start of a look; then a request waits for another one', async () => {
    sinon.replace(table, 'read', async (question) => {
      table.questions.push(question);
      clock.advance(100);
      return table.state(question);
    });
    await current();
    table.raise('org', 9);
    clock.advance(150);
    expect(await current()).to.equal(5);
    clock.advance(1);
    expect(await Promise.all([current(), current(), current()])).to.deep.equal([9, 9, 9]);
    expect(table.questions).to.have.length(2);
  });

  it('accepts a look that takes longer than a quarter of a second', async () => {
    sinon.replace(table, 'read', async (question) => {
      clock.advance(300);
      return table.state(question);
    });
    expect(await current()).to.equal(5);
    expect(await current()).to.equal(5);
  });

  it('uses a look for its time, although the next one failed', async () => {
    await current();
    table.isAway = true;
    await look();
    expect(await current()).to.equal(5);
    clock.advance(251);
    expect(await failureOf()).to.equal('Unavailable: the read tables: the server is away');
  });

  it('does not wait for a slow look if the last one may be used, unless it has to be confirmed', async () => {
    await current();
    inTime = () => Promise.reject(new Error('too slow'));
    generations = new FollowedGenerations(table, new Staleness(60_000), maxSyncAgeMs, clock, () =>
      inTime(Promise.resolve()),
    );
    expect(await current()).to.equal(5);
    clock.advance(251);
    expect(await failureOf()).to.equal('too slow');
    clock.advance(251);
    expect(await generations.awaitCurrent('org')).to.equal(5);
    clock.advance(251);
    expect(await current('new')).to.equal(0);
  });

  describe('reads everything again after a gap:', () => {
    beforeEach(async () => {
      table.raise('newest', 1_000);
      await current();
    });

    it('tables in an earlier state, whose generations are lower', async () => {
      table.stored = new Map([['org', 3]]);
      await look();
      expect(await current()).to.equal(3);
      table.raise('org', 9);
      await look();
      expect(await current()).to.equal(9);
    });

    it('tables in an earlier state, in which another organization was raised since', async () => {
      expect(await current('newest')).to.equal(1_000);
      table.stored = new Map([
        ['org', 3],
        ['newest', 4],
        ['other', 2_000],
      ]);
      await look();
      expect([await current(), await current('newest')]).to.deep.equal([3, 4]);
    });

    it('another server, which has lost a raise and has others', async () => {
      table.stored = new Map([
        ['org', 3],
        ['other', 2_000],
      ]);
      table.server = 'two';
      await look();
      expect(await current()).to.equal(3);
    });

    it('an outage', async () => {
      table.isAway = true;
      await look();
      table.isAway = false;
      table.stored = new Map([
        ['org', 3],
        ['other', 2_000],
      ]);
      await look();
      expect(await current()).to.equal(3);
    });

    it('more raises than a look lists', async () => {
      table.raise('org', 1_001);
      sinon.replace(table, 'read', async (question) => {
        const others = { organizationId: 'other', generation: 1_500 };
        return { ...table.state(question), raised: Array(question.limit).fill(others) };
      });
      await look();
      expect(await current()).to.equal(1_001);
    });
  });

  it('has requests wait for no look while the server is away, and shows what it has when it is back', async () => {
    await current();
    table.isAway = true;
    await look();
    clock.advance(251);
    const { length } = table.questions;
    for (const organizationId of ['org', 'new'])
      expect(await failureOf(organizationId)).to.equal('Unavailable: the read tables: the server is away');
    expect(table.questions).to.have.length(length);
    table.isAway = false;
    table.raise('new', 20);
    await look();
    expect([await current('new'), await current()]).to.deep.equal([20, 5]);
  });

  it('never asks for what was cached before a failover to a server that lacks it', async () => {
    table.raise('org', 100);
    expect(await current()).to.equal(100);
    table.server = 'promoted';
    table.stored = new Map([['org', 5]]);
    await look();
    expect(await current()).to.equal(5);
    // The clock has gone on, so that a generation is above those that were lost.
    table.raise('org', 101);
    await look();
    expect(await current()).to.equal(101);
  });

  it('remembers the last one that was current, as long as stale answers are allowed', async () => {
    expect(generations.lastOf('org')).to.equal(null);
    expect(await generations.isGoingWithout()).to.equal(false);
    await current();
    expect(await generations.isGoingWithout()).to.equal(false);
    table.isAway = true;
    await look();
    await failureOf('other');
    clock.advance(59_999);
    expect(generations.lastOf('org')).to.equal(5);
    expect(generations.lastOf('other')).to.equal(null);
    expect(await generations.isGoingWithout()).to.equal(true);
    clock.advance(1);
    expect(generations.lastOf('org')).to.equal(null);
    expect(await generations.isGoingWithout()).to.equal(false);
  });

  it('remembers it from the last look before a gap, if the organization was not asked for since', async () => {
    await current();
    clock.advance(50_000);
    table.server = 'restarted';
    await look();
    table.isAway = true;
    clock.advance(59_999);
    expect(generations.lastOf('org')).to.equal(null);
  });

  it('reads organizations again that it had to forget', async () => {
    await current();
    await Promise.all(Array.from({ length: 100_000 }, (_, n) => current(`other ${n}`)));
    expect(generations.lastOf('org')).to.equal(null);
    table.raise('org', 9);
    expect(await current()).to.equal(9);
  });

  describe('refuses everything if the last beat of the worker is too old', () => {
    const refusal = () =>
      generations.requireSync().then(
        () => null,
        (error: Error) => error.message,
      );
    const limitedTo = (milliseconds: number | null) => {
      generations = new FollowedGenerations(table, new Staleness(60_000), milliseconds, clock, inTime);
    };

    it('on a standby after a minute, on a primary only if that is set, and anywhere after what is set', async () => {
      for (const [isStandby, limit, ageMs, isRefused] of [
        [true, null, 60_000, false],
        [true, null, 60_001, true],
        [true, 5_000, 5_001, true],
        [true, 90_000, 90_000, false],
        [false, null, Number.POSITIVE_INFINITY, false],
        [false, 5_000, 5_000, false],
        [false, 5_000, 5_001, true],
        [false, 5_000, Number.POSITIVE_INFINITY, true],
      ] as const) {
        limitedTo(limit);
        Object.assign(table, { isStandby, syncAgeMs: ageMs });
        await look();
        expect((await refusal()) !== null, `${isStandby} ${limit} ${ageMs}`).to.equal(isRefused);
      }
    });

    it('says how old it is, and whose tables these are', async () => {
      Object.assign(table, { isStandby: true, syncAgeMs: 75_000 });
      await look();
      expect(await refusal()).to.equal(
        'The sync worker beat 75 s ago in the read tables of a standby: requests are refused after 60 s',
      );
      await generations.lookIfDue().catch((error: Error) => expect(error.name).to.equal('SyncTooOld'));
    });

    it('also while the server does not answer, with the time since the last look', async () => {
      Object.assign(table, { isStandby: true, syncAgeMs: 50_000 });
      await current();
      table.isAway = true;
      clock.advance(10_000);
      expect([await refusal(), await generations.isGoingWithout()]).to.deep.equal([null, true]);
      clock.advance(1);
      expect(await refusal()).to.include('60 s ago');
      expect(await generations.isGoingWithout()).to.equal(false);
    });

    it('also on a standby that was promoted, to which nobody may write', async () => {
      Object.assign(table, { isStandby: true, syncAgeMs: 900 });
      await look();
      Object.assign(table, { isStandby: false, syncAgeMs: 75_000 });
      await look();
      expect(await refusal()).not.to.equal(null);
    });

    it('until there is a beat: then the next request is served', async () => {
      Object.assign(table, { isStandby: true, syncAgeMs: 75_000 });
      await look();
      expect(await refusal()).not.to.equal(null);
      table.syncAgeMs = 900;
      expect(await refusal()).to.equal(null);
    });
  });
});
