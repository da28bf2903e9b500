import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { aTag } from 'blog-content-read-api/contracts';
import { LeadershipLost } from 'blog-content-read-api/ports';
import { Database, type Session } from '../src/adapters/mariadb/database.js';
import { MariadbLeadership, requireLeadership } from '../src/adapters/mariadb/mariadb-leadership.js';
import { MariadbReadModelWriter } from '../src/adapters/mariadb/mariadb-read-model-writer.js';
import { eventually } from './support/eventually.js';
import { TestDatabase } from './support/test-database.js';

const LEADER_TIMEOUT_MS = 10_000;

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

  function newWorker(leaderTimeoutMs = LEADER_TIMEOUT_MS) {
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
      slices: [{ kind: 'tags', ids: ['t'], rows: [aTag({ id: 't' })], unshown: [] }],
      jobs: [],
    });
  const connectionOf = async (session: Session) => {
    const [row] = await session.query<{ id: number }>('select connection_id() as id');
    return Number(row?.id);
  };
  const beatAgo = (millis: number) =>
    newDatabase().execute('update sync_lead set beat_at = utc_timestamp(6) - interval :micros microsecond', {
      micros: millis * 1000,
    });

  it('ends with the connection of the leader, so a standby can claim it', async () => {
    const [leader, next] = [newWorker(), newWorker()];
    await claimed(leader);
    assert.equal(await next.leadership.claim(), null);
    await leader.database.close();
    await claimed(next);
  });

  it('refuses writes of a leader on a new connection, even if there is no other leader', async () => {
    const leader = newWorker();
    const epoch = await claimed(leader);
    await newDatabase().execute(`kill connection ${await connectionOf(leader.database)}`);
    await eventually(() => assert.rejects(write(leader, epoch), LeadershipLost));
    await write(leader, await claimed(leader));
  });

  it('refuses writes with the epoch of the leader on another connection', async () => {
    const leader = newWorker();
    const epoch = await claimed(leader);
    await assert.rejects(write(newWorker(), epoch), LeadershipLost);
    await write(leader, epoch);
  });

  for (const [where, statement] of [
    ['between two statements of a step', null],
    ['in the middle of a statement', 'select sleep(60)'],
  ] as const) {
    it(`ends the connection of a leader that is frozen ${where}, and rolls its transaction back`, async () => {
      const [leader, next] = [newWorker(), newWorker()];
      const epoch = await claimed(leader);
      await beatAgo(LEADER_TIMEOUT_MS * 1.1);
      const { promise: isResumed, resolve: resume } = deferred();
      const { promise: isFrozen, resolve: freeze } = deferred();
      const step = leader.database.transaction(async (session) => {
        // Begins like a step that was not committed when its process froze.
        await session.execute('update sync_lead set epoch = epoch');
        const pause = statement === null ? isResumed : session.query(statement);
        freeze();
        await pause;
      });
      const outcome = step.then(
        () => 'committed',
        () => 'failed',
      );
      await isFrozen;
      const nextEpoch = await claimed(next);
      assert.equal(nextEpoch, epoch + 1);
      resume();
      assert.equal(await outcome, 'failed');
      await eventually(() => assert.rejects(write(leader, epoch), LeadershipLost));
      await write(next, nextEpoch);
    });
  }

  it('ends a leader that has the lock but no row yet only after the leader timeout', async () => {
    const [starting, standby, standbyWithShortTimeout] = [newDatabase(), newWorker(), newWorker(100)];
    await beatAgo(LEADER_TIMEOUT_MS * 2);
    await starting.query(`select get_lock(md5(concat(database(), '.sync_lead')), 0)`);
    const connection = await connectionOf(starting);
    assert.equal(await standby.leadership.claim(), null);
    assert.equal(await connectionOf(starting), connection);
    await claimed(standbyWithShortTimeout);
    await eventually(async () => assert.notEqual(await connectionOf(starting), connection));
  });

  it('is independent of the leadership of another read model on the same server', async () => {
    const otherReadModel = await TestDatabase.create();
    const otherWorker = Database.forWorker(otherReadModel.url);
    try {
      await claimed(newWorker());
      assert.notEqual(await new MariadbLeadership(otherWorker, LEADER_TIMEOUT_MS).claim(), null);
    } finally {
      await otherWorker.close();
      await otherReadModel.drop();
    }
  });

  it('is confirmed by the epoch, even if the transaction writes nothing', async () => {
    const leader = newWorker();
    const epoch = await claimed(leader);
    for (let beats = 0; beats < 3; beats++)
      await leader.database.transaction((session) => requireLeadership(session, epoch));
  });
});

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
