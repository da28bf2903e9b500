import { expect } from 'chai';
import type { Knex } from 'knex';
import type { MappedChangeFeed } from '../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { eventually } from '../../../src/contracts/support/eventually.js';

/** The queue of a captured dashboard on one engine. */
export interface QueueUnderTest {
  readonly feed: MappedChangeFeed;
  /** Of an editor. */
  readonly database: Knex;
  add(kind: 'blogs' | 'tags'): Promise<string>;
  /** Puts changes into the queue, one by one. */
  note(on: Knex, kind: string, ...keys: readonly (string | null)[]): Promise<void>;
  /** From now on the storage of the queue fails, until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
}

const BATCH = 250;

/** What a queue promises on each engine, beside the contract of its port. */
export function changeFeedCases(makeQueue: () => Promise<QueueUnderTest>): void {
  let queue: QueueUnderTest;

  beforeEach(async () => {
    queue = await makeQueue();
  });

  const changes = async (limit = BATCH) =>
    (await queue.feed.read(limit, async (seen) => seen)).toSorted((one, other) =>
      Number(BigInt(one.id) - BigInt(other.id)),
    );
  const changedKeys = async () => (await changes()).map(({ key }) => key);
  const rename = (id: string, title: string, on = queue.database) =>
    on('blogs').where({ id }).update({ title });
  const takeAll = async () => {
    const keys: (string | null)[] = [];
    for (let some = await changes(2); some.length > 0; some = await changes(2)) {
      keys.push(...some.map(({ key }) => key));
      await queue.feed.acknowledge(some);
    }
    return keys;
  };

  /** A younger change is committed before that of a long transaction. */
  const overtakenTransaction = async () => {
    const [slow, fast] = [await queue.add('blogs'), await queue.add('blogs')];
    await takeAll();
    const long = await queue.database.transaction();
    await rename(slow, 'late', long);
    await rename(fast, 'early');
    return { slow, fast, long };
  };

  it('finds the changes of a long transaction when it commits, even if newer changes were acknowledged', async () => {
    const { slow, fast, long } = await overtakenTransaction();
    const early = await changes();
    expect(early.map(({ key }) => key)).to.deep.equal([fast]);
    await queue.feed.acknowledge(early);
    expect(await changes()).to.deep.equal([]);
    await long.commit();
    const late = await changes();
    expect(late.map(({ key }) => key)).to.deep.equal([slow]);
    expect(BigInt(late[0]?.id ?? 0) < BigInt(early[0]?.id ?? 0)).to.equal(true);
    const rows = await queue.feed.read(BATCH, async (_, source) => (await source.read('blogs', [slow])).rows);
    expect(rows.map(({ title }) => title)).to.deep.equal(['late']);
  });

  it('has new changes when a long transaction commits after a younger one was acknowledged', async () => {
    const { long } = await overtakenTransaction();
    await queue.feed.acknowledge(await changes());
    await queue.feed.hasNew();
    await long.commit();
    await eventually(async () => expect(await queue.feed.hasNew()).to.equal(true));
  });

  it('finds all changes of many transactions that end in another order than they began', async () => {
    const open: Knex.Transaction[] = [];
    const taken: (string | null)[] = [];
    const all: string[] = [];
    // Three at a time, because the pool has four connections.
    for (let n = 0; n < 30; n++) {
      const key = `change ${n}`;
      all.push(key, `${key} at once`);
      const transaction = await queue.database.transaction();
      await queue.note(transaction, 'tags', key);
      open.push(transaction);
      await queue.note(queue.database, 'tags', `${key} at once`);
      if (n % 2 === 0) taken.push(...(await takeAll()));
      if (open.length === 3) await open.splice((n * 7) % 3, 1)[0]?.commit();
    }
    for (const transaction of open.reverse()) await transaction.commit();
    taken.push(...(await takeAll()));

    expect(taken.toSorted()).to.eql(all.toSorted());
  });

  it('finds a change that was written under a savepoint', async () => {
    const transaction = await queue.database.transaction();
    await transaction.raw('savepoint one');
    await queue.note(transaction, 'tags', 'in a savepoint');
    await transaction.raw('release savepoint one');
    await queue.note(queue.database, 'tags', 'newer');
    expect(await takeAll()).to.eql(['newer']);
    await transaction.commit();

    expect(await takeAll()).to.eql(['in a savepoint']);
  });

  it('still returns the one change that was not acknowledged with others', async () => {
    await queue.note(queue.database, 'tags', 'one', 'two', 'three');
    const [one, , three] = await changes();
    await queue.feed.acknowledge([one, three].filter((change) => change !== undefined));
    await queue.note(queue.database, 'tags', 'four');

    expect(await changedKeys()).to.eql(['two', 'four']);
  });

  it('fails a write that it cannot note, whatever the write changes, and takes it afterwards', async () => {
    const blog = await queue.add('blogs');
    await takeAll();
    await queue.refuse();
    const writes = {
      update: () => rename(blog, 'unnoted'),
      insert: () => queue.add('tags'),
      delete: () => queue.database('blogs').where({ id: blog }).delete(),
    };
    for (const [what, write] of Object.entries(writes)) {
      const failure = await write().then(() => null, String);
      expect(failure, what).to.be.a('string');
    }
    await queue.accept();
    expect(await queue.database('blogs').where({ id: blog }).pluck('title')).not.to.eql(['unnoted']);
    expect(await changes()).to.eql([]);

    await writes.update();
    expect(await changedKeys()).to.eql([blog]);
  });

  it('never shows what is rolled back', async () => {
    const undone = await queue.database.transaction();
    await undone('organizations').where({ id: 'org_a' }).update({ name: 'undone' });
    const kept = await queue.add('tags');
    expect(await changedKeys()).to.deep.equal([kept]);
    await undone.rollback();
    expect(await changedKeys()).to.deep.equal([kept]);
  });

  it('blocks no new change while it acknowledges others', async () => {
    await queue.add('tags');
    const seen = await changes();
    const writing = await queue.database.transaction();
    await writing('organizations').where({ id: 'org_a' }).update({ name: 'meanwhile' });
    await queue.feed.acknowledge(seen);
    await writing.commit();
    expect(await changedKeys()).to.deep.equal(['org_a']);
  });

  it('acknowledges many changes between those of a transaction that stays open, without a wait for it', async () => {
    const left = await queue.database.transaction();
    await queue.note(left, 'tags', 'before');
    await queue.note(queue.database, 'tags', ...Array.from({ length: BATCH }, (_, n) => `${n}`));
    await queue.note(left, 'tags', 'after');
    const failure = await queue.feed.acknowledge(await changes()).then(() => null, String);
    await left.commit();
    expect(failure).to.equal(null);
    expect(await changedKeys()).to.eql(['before', 'after']);
  });

  it('treats a change of an unknown kind or without its key as a change of everything', async () => {
    await queue.note(queue.database, 'comments', 'x');
    await queue.note(queue.database, 'blogs', null);
    const added = await queue.add('blogs');
    const seen = (await changes()).map(({ kind, key }) => `${kind} ${key}`);
    expect(seen).to.deep.equal(['everything null', 'everything null', `blogs ${added}`]);
  });
}
