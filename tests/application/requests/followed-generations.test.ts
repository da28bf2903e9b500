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
  questions: GenerationQuestion[] = [];

  constructor(private readonly mayLag = false) {}

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
      mayLag: this.mayLag,
      newest: Math.max(0, ...this.stored.values()),
      raised: all.filter(({ generation }) => generation > above).slice(0, limit),
      current: new Map([...this.stored].filter(([id]) => organizationIds.includes(id))),
    };
  }
}

describe('FollowedGenerations', () => {
  let clock: SettableClock;
  let primary: Table;
  let replica: Table;
  let generations: FollowedGenerations;
  let inTime: (look: Promise<void>) => Promise<void>;

  const look = () => generations.look().catch(() => {});
  const current = async (organizationId = 'org') => generations.current(organizationId);
  const failureOf = (organizationId = 'org') =>
    current(organizationId).catch((error: Error) => error.message);

  beforeEach(() => {
    clock = new SettableClock();
    inTime = (look) => look;
    primary = new Table();
    replica = new Table(true);
    generations = new FollowedGenerations(primary, [replica], new Staleness(60_000), clock, inTime);
    for (const table of [primary, replica]) table.raise('org', 5);
  });

  it('reads an organization once, and then learns of its raises from looks', async () => {
    expect(await current()).to.equal(5);
    primary.raise('org', 9);
    await look();
    expect(await current()).to.equal(9);
    const asked = primary.questions.flatMap(({ organizationIds }) => organizationIds);
    expect(asked).to.deep.equal(['org']);
  });

  it('looks once a second after ten seconds without a request, until there is one', async () => {
    await current();
    clock.advance(10_001);
    primary.questions = [];
    for (let tick = 0; tick < 100; tick++) {
      await generations.follow();
      clock.advance(100);
    }
    expect(primary.questions).to.have.length(10);
    primary.raise('org', 9);
    expect(await current()).to.equal(9);
    primary.questions = [];
    for (let tick = 0; tick < 100; tick++) {
      await generations.follow();
      clock.advance(100);
    }
    expect(primary.questions).to.have.length(100);
  });

  it('reads many organizations at once', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `org ${n}`);
    for (const [n, id] of ids.entries()) primary.raise(id, 10 + n);
    expect(await Promise.all(ids.map(current))).to.deep.equal(ids.map((_, n) => 10 + n));
    expect(primary.questions).to.have.length(1);
  });

  it('asks a server only for what was raised above the highest that it has seen', async () => {
    await current();
    primary.raise('other', 7);
    await look();
    await look();
    expect(primary.questions.map(({ above }) => above).slice(1)).to.deep.equal([5, 7]);
  });

  it('shows no organization as never raised, and follows it', async () => {
    expect(await current('new')).to.equal(0);
    primary.raise('new', 6);
    await look();
    expect(await current('new')).to.equal(6);
  });

  it('misses no raise while it reads an organization', async () => {
    await look();
    const gate = new Gate<GenerationReading>();
    const read = sinon.stub(primary, 'read').callsFake(() => gate.wait());
    const reading = current();
    await gate.arrived;
    const before = primary.state({ above: 5, limit: 9, organizationIds: ['org'] });
    primary.raise('org', 9);
    read.restore();
    const later = look();
    gate.open(before);
    expect(await reading).to.equal(5);
    await later;
    expect(await current()).to.equal(9);
  });

  it('looks again, once, if a raise was notified during a look', async () => {
    const gate = new Gate<GenerationReading>();
    const read = sinon.stub(primary, 'read').callsFake(() => gate.wait());
    const first = look();
    await gate.arrived;
    const later = [look(), look(), look()];
    gate.open(primary.state({ above: 0, limit: 0, organizationIds: [] }));
    await Promise.all([first, ...later]);
    expect(read.callCount).to.equal(2);
  });

  it('counts for a quarter of a second after the start of a look; then a request waits for another one', async () => {
    sinon.replace(primary, 'read', async (question) => {
      primary.questions.push(question);
      clock.advance(100);
      return primary.state(question);
    });
    await current();
    primary.raise('org', 9);
    clock.advance(150);
    expect(await current()).to.equal(5);
    clock.advance(1);
    expect(await Promise.all([current(), current(), current()])).to.deep.equal([9, 9, 9]);
    expect(primary.questions).to.have.length(2);
  });

  it('accepts a look that takes longer than a quarter of a second', async () => {
    sinon.replace(primary, 'read', async (question) => {
      clock.advance(300);
      return primary.state(question);
    });
    expect(await current()).to.equal(5);
    expect(await current()).to.equal(5);
  });

  it('uses a look for its time, although the next one failed', async () => {
    await current();
    for (const table of [primary, replica]) table.isAway = true;
    await look();
    expect(await current()).to.equal(5);
    clock.advance(251);
    expect(await failureOf()).to.equal('Unavailable: the read tables: the server is away');
  });

  it('does not wait for a slow look if the last one may be used, unless it has to be confirmed', async () => {
    await current();
    inTime = () => Promise.reject(new Error('too slow'));
    generations = new FollowedGenerations(primary, [], new Staleness(60_000), clock, () =>
      inTime(Promise.resolve()),
    );
    expect(await current()).to.equal(5);
    clock.advance(251);
    expect(await failureOf()).to.equal('too slow');
    clock.advance(251);
    expect(await generations.confirmed('org', 0)).to.equal(5);
    clock.advance(251);
    expect(await current('new')).to.equal(0);
  });

  describe('reads everything again after a gap:', () => {
    beforeEach(async () => {
      primary.raise('newest', 1_000);
      await current();
    });

    it('tables in an earlier state, whose generations are lower', async () => {
      primary.stored = new Map([['org', 3]]);
      await look();
      expect(await current()).to.equal(3);
      primary.raise('org', 9);
      await look();
      expect(await current()).to.equal(9);
    });

    it('another server, which has lost a raise and has others', async () => {
      primary.stored = new Map([
        ['org', 3],
        ['other', 2_000],
      ]);
      primary.server = 'two';
      await look();
      expect(await current()).to.equal(3);
    });

    it('an outage', async () => {
      primary.isAway = true;
      await look();
      primary.isAway = false;
      primary.stored = new Map([
        ['org', 3],
        ['other', 2_000],
      ]);
      await look();
      expect(await current()).to.equal(3);
    });

    it('more raises than a look lists', async () => {
      primary.raise('org', 1_001);
      sinon.replace(primary, 'read', async (question) => {
        const others = { organizationId: 'other', generation: 1_500 };
        return { ...primary.state(question), raised: Array(question.limit).fill(others) };
      });
      await look();
      expect(await current()).to.equal(1_001);
    });
  });

  describe('while the primary is away', () => {
    beforeEach(async () => {
      await current();
      primary.isAway = true;
      await look();
      clock.advance(251);
    });

    it('follows the replicas', async () => {
      replica.raise('org', 9);
      replica.raise('new', 10);
      expect(await current()).to.equal(9);
      expect(await current('new')).to.equal(10);
      replica.raise('new', 11);
      clock.advance(251);
      expect(await current('new')).to.equal(11);
    });

    it('follows them without a request, so that the last one stays usable when they fail as well', async () => {
      for (let tick = 0; tick < 100; tick++) {
        clock.advance(1_000);
        await look();
      }
      replica.isAway = true;
      await look();
      expect(generations.lastOf('org')).to.equal(5);
    });

    it('reads the replica that has the most, and misses no raise if that one is lost', async () => {
      const newest = new Table(true);
      newest.stored = new Map([
        ['org', 7],
        ['other', 8],
      ]);
      generations = new FollowedGenerations(
        primary,
        [replica, newest, replica],
        new Staleness(0),
        clock,
        inTime,
      );
      expect(await current()).to.equal(7);
      newest.isAway = true;
      // It has raises below the highest that was seen, which it is told of later.
      expect(await current('other')).to.equal(0);
      replica.raise('other', 8);
      replica.raise('org', 7);
      clock.advance(251);
      expect([await current('other'), await current()]).to.deep.equal([8, 7]);
    });

    it('never falls below what is known, however late a replica is', async () => {
      primary.isAway = false;
      primary.raise('org', 20);
      await look();
      expect(await current()).to.equal(20);
      primary.raise('newest', 2_000);
      primary.server = 'restarted';
      await look();
      primary.isAway = true;
      await look();
      clock.advance(251);
      expect(await current()).to.equal(20);
    });

    it('does not fall when a replica catches up with raises that are known', async () => {
      primary.isAway = false;
      primary.raise('org', 20);
      await look();
      expect(await current()).to.equal(20);
      primary.isAway = true;
      await look();
      clock.advance(251);
      expect(await current()).to.equal(20);
      replica.raise('org', 10);
      clock.advance(251);
      expect(await current()).to.equal(20);
    });

    it('is not below the generation with which the key was read', async () => {
      expect(await generations.current('new', 6)).to.equal(6);
    });

    it('fails without asking the primary if no replica answers', async () => {
      replica.isAway = true;
      const { length } = primary.questions;
      expect(await failureOf()).to.equal('Unavailable: the read tables: the server is away');
      expect(await failureOf('new')).to.equal('Unavailable: the read tables: the server is away');
      expect(primary.questions).to.have.length(length);
    });

    it('shows what the primary has as soon as it is back', async () => {
      replica.raise('new', 10);
      expect(await current('new')).to.equal(10);
      primary.isAway = false;
      primary.raise('new', 20);
      primary.raise('org', 9);
      await look();
      expect([await current('new'), await current()]).to.deep.equal([20, 9]);
    });
  });

  it('does not read a replica, which may lag, while the primary answers', async () => {
    await current();
    clock.advance(251);
    await current();
    expect(replica.questions).to.deep.equal([]);
  });

  it('follows a standby that the address of the primary leads to, and never falls below what is known', async () => {
    primary = new Table(true);
    primary.raise('org', 5);
    generations = new FollowedGenerations(primary, [], new Staleness(0), clock, inTime);
    expect(await current()).to.equal(5);
    primary.raise('org', 3);
    await look();
    expect(await current()).to.equal(5);
    primary.raise('org', 9);
    await look();
    expect(await current()).to.equal(9);
  });

  it('remembers the last one that was current, as long as stale answers are allowed', async () => {
    expect(generations.lastOf('org')).to.equal(null);
    expect(await generations.isGoingWithout()).to.equal(false);
    await current();
    expect(await generations.isGoingWithout()).to.equal(false);
    for (const table of [primary, replica]) table.isAway = true;
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
    primary.server = 'restarted';
    await look();
    for (const table of [primary, replica]) table.isAway = true;
    clock.advance(59_999);
    expect(generations.lastOf('org')).to.equal(null);
  });

  it('reads organizations again that it had to forget', async () => {
    await current();
    await Promise.all(Array.from({ length: 100_000 }, (_, n) => current(`other ${n}`)));
    expect(generations.lastOf('org')).to.equal(null);
    primary.raise('org', 9);
    expect(await current()).to.equal(9);
  });
});
