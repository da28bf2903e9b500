import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { aTag } from 'blog-content-read-api/contracts';
import { LeadershipLost } from 'blog-content-read-api/ports';
import { Database, type Session } from '../src/adapters/mariadb/database.js';
import { MariadbLeadership, requireLead } from '../src/adapters/mariadb/mariadb-leadership.js';
import { MariadbReadModelWriter } from '../src/adapters/mariadb/mariadb-read-model-writer.js';
import { eventually } from './support/eventually.js';
import { TestDatabase } from './support/test-database.js';

const FROZEN_AFTER_MS = 10_000;

describe('MariadbLeadership', () => {
  let test: TestDatabase;
  let opened: Database[] = [];

  before(async () => {
    test = await TestDatabase.create();
  });

  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()));
    opened = [];
  });

  after(() => test.drop());

  function newDatabase(): Database {
    const database = Database.forWorker(test.url);
    opened.push(database);
    return database;
  }

  function newWorker(leaderTimeoutMs = FROZEN_AFTER_MS) {
    const database = newDatabase();
    return {
      database,
      leadership: new MariadbLeadership(database, leaderTimeoutMs),
      writer: new MariadbReadModelWriter(database),
    };
  }

  type Worker = ReturnType<typeof newWorker>;

  /** The server releases the lock a moment after the connection is lost, so a standby may have to try again. */
  const claimed = ({ leadership }: Worker) =>
    eventually(async () => {
      const epoch = await leadership.claim();
      assert.notEqual(epoch, null);
      return Number(epoch);
    });
  const write = ({ writer }: Worker, epoch: number) =>
    writer.write(epoch, {
      slices: [{ kind: 'tags', ids: ['t'], rows: [aTag({ id: 't' })], refused: [] }],
      work: [],
    });
  const connectionOf = async (session: Session) => {
    const [row] = await session.ask<{ id: number }>('select connection_id() as id');
    return Number(row?.id);
  };
  const beatAgo = (millis: number) =>
    newDatabase().change('update sync_lead set beat_at = utc_timestamp(6) - interval :micros microsecond', {
      micros: millis * 1000,
    });

  it('ends the lead with its connection, so that a standby can claim it', async () => {
    const [leader, next] = [newWorker(), newWorker()];
    await claimed(leader);
    assert.equal(await next.leadership.claim(), null);
    await leader.database.close();
    await claimed(next);
  });

  it('refuses a leader that has got a new connection, though nobody else leads', async () => {
    const leader = newWorker();
    const epoch = await claimed(leader);
    await newDatabase().change(`kill connection ${await connectionOf(leader.database)}`);
    await eventually(() => assert.rejects(write(leader, epoch), LeadershipLost));
    await write(leader, await claimed(leader));
  });

  it('refuses whoever writes under the epoch of the leader on another connection', async () => {
    const leader = newWorker();
    const epoch = await claimed(leader);
    await assert.rejects(write(newWorker(), epoch), LeadershipLost);
    await write(leader, epoch);
  });

  for (const [where, statement] of [
    ['between two statements', null],
    ['in the middle of one', 'select sleep(60)'],
  ] as const) {
    it(`ends the connection of a leader that is frozen ${where} of a step, and what it was writing with it`, async () => {
      const [leader, next] = [newWorker(), newWorker()];
      const epoch = await claimed(leader);
      await beatAgo(FROZEN_AFTER_MS * 1.1);
      const { promise: wakesUp, resolve: wakeUp } = deferred();
      const { promise: isFrozen, resolve: freeze } = deferred();
      const step = leader.database.transaction(async (session) => {
        // Begins like a step that was not committed when its process froze.
        await session.change('update sync_lead set epoch = epoch');
        const asleep = statement === null ? wakesUp : session.ask(statement);
        freeze();
        await asleep;
      });
      const outcome = step.then(
        () => 'committed',
        () => 'failed',
      );
      await isFrozen;
      const nextEpoch = await claimed(next);
      assert.equal(nextEpoch, epoch + 1);
      wakeUp();
      assert.equal(await outcome, 'failed');
      await eventually(() => assert.rejects(write(leader, epoch), LeadershipLost));
      await write(next, nextEpoch);
    });
  }

  it('lets a new leader live that has the lock and no row yet, but not for ever', async () => {
    const [starting, other, impatient] = [newDatabase(), newWorker(), newWorker(100)];
    await beatAgo(FROZEN_AFTER_MS * 2);
    await starting.ask(`select get_lock(md5(concat(database(), '.sync_lead')), 0)`);
    const connection = await connectionOf(starting);
    assert.equal(await other.leadership.claim(), null);
    assert.equal(await connectionOf(starting), connection);
    await claimed(impatient);
    await eventually(async () => assert.notEqual(await connectionOf(starting), connection));
  });

  it('takes no lead that belongs to another read model of the same server', async () => {
    const elsewhere = await TestDatabase.create();
    const there = Database.forWorker(elsewhere.url);
    try {
      await claimed(newWorker());
      assert.notEqual(await new MariadbLeadership(there, FROZEN_AFTER_MS).claim(), null);
    } finally {
      await there.close();
      await elsewhere.drop();
    }
  });

  it('requires nothing of whoever leads but the epoch, also where nothing is left to write', async () => {
    const leader = newWorker();
    const epoch = await claimed(leader);
    for (let beats = 0; beats < 3; beats++)
      await leader.database.transaction((session) => requireLead(session, epoch));
  });
});

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
