import { expect } from 'chai';
import sinon from 'sinon';
import { PolledGenerations, PolledServer } from '../../../src/domain/admission/polled-generations.js';
import type { RaisedGeneration } from '../../../src/domain/model/read-model.js';
import { Staleness } from '../../../src/domain/policies/staleness.js';
import { Gate } from '../../support/clock/gate.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

/** A server of the read tables. */
class Table {
  readonly generations = new Map<string, number>();
  isAway = false;
  reads = 0;

  raise(organizationId: string, generation: number): void {
    this.generations.set(organizationId, generation);
  }

  async current(organizationId: string): Promise<number> {
    this.reads++;
    this.#answer();
    return this.generations.get(organizationId) ?? 0;
  }

  async above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    this.#answer();
    return [...this.generations]
      .map(([organizationId, raised]) => ({ organizationId, generation: raised }))
      .filter((each) => each.generation > generation)
      .sort((one, other) => one.generation - other.generation)
      .slice(0, limit);
  }

  async newest(): Promise<number> {
    this.#answer();
    return Math.max(0, ...this.generations.values());
  }

  #answer(): void {
    if (this.isAway) throw new Error('the server is away');
  }
}

describe('PolledGenerations', () => {
  let clock: SettableClock;
  let monotonic: SettableClock;
  let primaryTable: Table;
  let replicaTable: Table;
  let primary: PolledServer;
  let replica: PolledServer;
  let published: Map<string, number>;
  let isListAway: boolean;
  let generations: PolledGenerations;

  const poll = (server: PolledServer) => server.poll().catch(() => {});
  const failureOf = (organizationId: string) =>
    generations.current(organizationId).catch((error: Error) => error.message);

  beforeEach(() => {
    clock = new SettableClock();
    monotonic = new SettableClock();
    [primaryTable, replicaTable] = [new Table(), new Table()];
    primary = new PolledServer(primaryTable, monotonic);
    replica = new PolledServer(replicaTable, monotonic);
    published = new Map();
    isListAway = false;
    const shared = {
      published: async (organizationId: string) => (isListAway ? null : (published.get(organizationId) ?? 0)),
    };
    generations = new PolledGenerations(primary, [replica], shared, new Staleness(60_000), clock);
    for (const table of [primaryTable, replicaTable]) table.raise('org', 5);
  });

  it('reads an organization once, and then learns of its changes from the polls', async () => {
    await poll(primary);
    expect(await generations.current('org')).to.equal(5);
    primaryTable.raise('org', 9);
    await poll(primary);
    expect(await generations.current('org')).to.equal(9);
    expect(primaryTable.reads).to.equal(1);
  });

  it('learns of more changes than fit into a page', async () => {
    await poll(primary);
    const ids = Array.from({ length: 2_500 }, (_, n) => `org ${n}`);
    for (const id of ids) await generations.current(id);
    for (const [n, id] of ids.entries()) primaryTable.raise(id, 10 + n);
    await poll(primary);
    const shown = await Promise.all(ids.map((id) => generations.current(id)));
    expect(shown).to.eql(ids.map((_, n) => 10 + n));
  });

  it('misses no raise between the read of an organization and its end', async () => {
    await poll(primary);
    const gate = new Gate<number>();
    sinon.stub(primaryTable, 'current').callsFake(() => gate.wait());
    const reading = generations.current('org');
    await gate.arrived;
    primaryTable.raise('org', 9);
    await poll(primary);
    gate.open(5);
    expect(await reading).to.equal(9);
    expect(await generations.current('org')).to.equal(9);
  });

  it('reads an organization again that was read before the first poll', async () => {
    expect(await generations.current('org')).to.equal(5);
    primaryTable.raise('org', 9);
    await poll(primary);
    expect(await generations.current('org')).to.equal(9);
  });

  it('counts for a quarter of a second after a poll, and is read after that', async () => {
    isListAway = true;
    await poll(primary);
    await generations.current('org');
    primaryTable.raise('org', 9);
    monotonic.advance(250);
    expect(await generations.current('org')).to.equal(5);
    monotonic.advance(1);
    expect(await generations.current('org')).to.equal(9);
  });

  it('counts the quarter of a second from the start of the poll', async () => {
    isListAway = true;
    sinon.replace(primaryTable, 'newest', async () => {
      monotonic.advance(251);
      return 5;
    });
    await poll(primary);
    await generations.current('org');
    primaryTable.raise('org', 9);
    expect(await generations.current('org')).to.equal(9);
  });

  it('is the published one if that is higher, and the polled one if the list has lost it', async () => {
    await poll(primary);
    published.set('org', 7);
    expect(await generations.current('org')).to.equal(7);
    published.set('org', 3);
    expect(await generations.current('org')).to.equal(7);
    published.delete('org');
    expect(await generations.current('org')).to.equal(7);
    primaryTable.raise('org', 9);
    published.set('org', 3);
    await poll(primary);
    expect(await generations.current('org')).to.equal(9);
  });

  it('is not the published one while the polls hang and the primary can be read', async () => {
    await poll(primary);
    await generations.current('org');
    published.set('org', 3);
    primaryTable.raise('org', 9);
    monotonic.advance(251);
    expect(await generations.current('org')).to.equal(9);
  });

  it('uses a poll for its time, although the next one failed', async () => {
    isListAway = true;
    primaryTable.raise('org', 9);
    await poll(primary);
    await generations.current('org');
    primaryTable.isAway = true;
    await poll(primary);
    const reads = () => [primaryTable.reads, replicaTable.reads];
    const before = reads();
    expect(await generations.current('org')).to.equal(9);
    expect(reads()).to.deep.equal(before);
  });

  it('misses no raise after the tables come back in an earlier state', async () => {
    primaryTable.raise('ahead', 1_000);
    await poll(primary);
    await generations.current('org');
    primaryTable.isAway = true;
    await poll(primary);
    [primaryTable.isAway, published] = [false, new Map([['org', 5]])];
    primaryTable.generations.delete('ahead');
    await poll(primary);
    await generations.current('org');
    primaryTable.raise('org', 9);
    await poll(primary);
    expect(await generations.current('org')).to.equal(9);
  });

  it('is read on the replica that has the most while the primary is away', async () => {
    const newestTable = new Table();
    const newest = new PolledServer(newestTable, monotonic);
    for (const servers of [
      [replica, newest],
      [newest, replica],
    ]) {
      generations = new PolledGenerations(
        primary,
        servers,
        { published: async () => 0 },
        new Staleness(0),
        clock,
      );
      newestTable.raise('org', 9);
      primaryTable.isAway = true;
      for (const server of [primary, ...servers]) await poll(server);
      expect(await generations.current('org')).to.equal(9);
    }
  });

  describe('while the primary is away', () => {
    beforeEach(async () => {
      await poll(primary);
      await poll(replica);
      await generations.current('org');
      primaryTable.isAway = true;
      monotonic.advance(300);
      await poll(primary);
    });

    it('is polled from a replica, for organizations that were read before and for others', async () => {
      replicaTable.raise('org', 9);
      replicaTable.raise('new', 10);
      await poll(replica);
      expect(await generations.current('org')).to.equal(9);
      expect(await generations.current('new')).to.equal(10);
    });

    it('never falls below what the primary had, however late the replica is', async () => {
      primaryTable.isAway = false;
      primaryTable.raise('org', 20);
      await poll(primary);
      primaryTable.isAway = true;
      await poll(primary);
      await poll(replica);
      expect(await generations.current('org')).to.equal(20);
    });

    it('is the published one if no replica answers, also after a start', async () => {
      replicaTable.isAway = true;
      await poll(replica);
      published.set('org', 7);
      published.set('unread', 8);
      expect(await generations.current('org')).to.equal(7);
      expect(await generations.current('unread')).to.equal(8);
    });

    it('is not below the one with which the key was read, even if the list came back with old data', async () => {
      replicaTable.isAway = true;
      await poll(replica);
      published.set('unread', 4);
      expect(await generations.current('unread', 6)).to.equal(6);
      expect(await generations.current('unread')).to.equal(6);
    });

    it('is the last known one if no replica answers and none is published: nothing is raised meanwhile', async () => {
      replicaTable.isAway = true;
      for (const server of [replica, primary, replica, primary]) await poll(server);
      expect(await generations.current('org')).to.equal(5);
      expect(await failureOf('unread')).to.equal('the server is away');
    });

    it('is read for a new organization from a primary that is back before its next poll', async () => {
      replicaTable.isAway = true;
      await poll(replica);
      primaryTable.isAway = false;
      expect(await generations.current('unread')).to.equal(0);
    });

    it('fails if neither a replica nor the list can be read, without asking the primary', async () => {
      replicaTable.isAway = true;
      isListAway = true;
      await poll(replica);
      const { reads } = primaryTable;
      monotonic.advance(251);
      expect(await failureOf('org')).to.equal('No server of the read tables answers');
      expect(primaryTable.reads).to.equal(reads);
    });

    it('shows what was raised meanwhile after the first poll of the primary', async () => {
      primaryTable.raise('org', 9);
      primaryTable.isAway = false;
      await poll(primary);
      expect(await generations.current('org')).to.equal(9);
    });
  });

  it('forgets what a late replica said of a new organization as soon as the primary is back', async () => {
    await poll(primary);
    await poll(replica);
    primaryTable.raise('new', 20);
    replicaTable.raise('new', 10);
    await poll(primary);
    primaryTable.isAway = true;
    await poll(primary);
    await poll(replica);
    expect(await generations.current('new')).to.equal(10);
    primaryTable.isAway = false;
    await poll(primary);
    expect(await generations.current('new')).to.equal(20);
  });

  it('reads a new organization again that only a late replica could tell', async () => {
    primaryTable.raise('org', 9);
    await poll(primary);
    const read = sinon.stub(primaryTable, 'current').rejects(new Error('too slow'));
    await generations.current('org');
    read.restore();
    expect(await generations.current('org')).to.equal(9);
  });

  it('does not use a replica that may lag while the primary answers, however slowly', async () => {
    isListAway = true;
    await poll(primary);
    await generations.current('org');
    primaryTable.raise('org', 9);
    monotonic.advance(300);
    await poll(replica);
    expect(await generations.current('org')).to.equal(9);
  });

  it('remembers the last one that was current, as long as stale answers are allowed', async () => {
    expect(generations.lastOf('org')).to.equal(null);
    await generations.current('org');
    primaryTable.isAway = true;
    replicaTable.isAway = true;
    await poll(primary);
    await poll(replica);
    isListAway = true;
    await failureOf('org');
    await failureOf('other');
    clock.advance(59_999);
    expect(generations.lastOf('org')).to.equal(5);
    expect(generations.lastOf('other')).to.equal(null);
    clock.advance(1);
    expect(generations.lastOf('org')).to.equal(null);
  });

  it('reads organizations again that it had to forget', async () => {
    await poll(primary);
    await generations.current('org');
    for (let n = 0; n < 50_000; n++) await generations.current(`other ${n}`);
    expect(generations.lastOf('org')).to.equal(null);
    primaryTable.raise('org', 9);
    expect(await generations.current('org')).to.equal(9);
  });
});
