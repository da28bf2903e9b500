import { expect } from 'chai';
import type { Knex } from 'knex';
import * as mocha from 'mocha';
import { PostgresGenerations } from '../../src/adapters/postgres/read/postgres-generations.js';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../../src/adapters/postgres/write/postgres-sync-notes.js';
import type { WorkerConnection } from '../../src/adapters/sql/worker-connection.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import {
  claimed,
  expectRefused,
  type LeadershipWorker,
  leadershipContract,
  write,
} from '../../src/contracts/sync/leadership.contract.js';
import { LeadershipLost } from '../../src/domain/errors.js';
import { Gate } from '../support/clock/gate.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { createReadTables } from '../support/postgres/migrated-databases.js';
import { patientConnection } from '../support/postgres/patient-connection.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';

/** A test moves the time of the last sign of life; a busy machine does not reach this limit. */
const FROZEN_AFTER_MS = 3_600_000;

leadershipContract(mocha, MemoryLeadership, async () => {
  const clock = new SettableClock();
  const readModel = new MemoryReadModel(clock);
  return {
    newWorker: () => ({
      leadership: new MemoryLeadership(readModel.lead, FROZEN_AFTER_MS),
      writer: readModel,
    }),
    advance: async (millis) => clock.advance(millis),
    leaderTimeoutMs: FROZEN_AFTER_MS,
  };
});

describe('On PostgreSQL,', () => {
  let url: string;
  let admin: WorkerConnection;
  let connections: WorkerConnection[] = [];

  before(async () => {
    url = await createReadTables();
    admin = patientConnection(url);
  });

  afterEach(async () => {
    // Leadership ends with the connections.
    await Promise.all(connections.map((connection) => connection.close()));
    connections = [];
  });

  after(() => admin.close());

  function newWorker(
    leaderTimeoutMs = FROZEN_AFTER_MS,
    on = url,
  ): LeadershipWorker & { readonly database: Knex } {
    const connection = patientConnection(on);
    connections.push(connection);
    const { database } = connection;
    return {
      database,
      leadership: new PostgresLeadership(database, 'test', leaderTimeoutMs),
      writer: new PostgresReadModelWriter(database),
    };
  }

  /** The server's clock cannot be moved, but the time of the last sign of life can. */
  async function advance(millis: number): Promise<void> {
    await admin.database.raw(
      `update content_read.sync_leader set beat_at = beat_at - lost, since = since - lost
       from (select ? * interval '1 millisecond' as lost) as moved`,
      [millis],
    );
  }

  leadershipContract(mocha, PostgresLeadership, async () => ({
    newWorker: () => newWorker(),
    advance,
    leaderTimeoutMs: FROZEN_AFTER_MS,
  }));

  describe('PostgresLeadership', () => {
    const pidOf = async (database: Knex): Promise<number> =>
      (await database.raw('select pg_backend_pid() as pid')).rows[0].pid;
    const isConnected = async (pid: number): Promise<boolean> =>
      (await admin.database.raw('select from pg_stat_activity where pid = ?', [pid])).rows.length > 0;
    const takeLock = (database: Knex) =>
      database.raw(`select pg_advisory_lock(hashtextextended('content_read.sync_leader', 0))`);

    it('gives leadership even if its row was deleted', async () => {
      await claimed(newWorker());
      await admin.database.raw('delete from content_read.sync_leader');
      for (const { database } of connections) await database.destroy();
      const leader = newWorker();
      await leader.writer.write(await claimed(leader), { slices: [], jobs: [] });
    });

    it('does not say by a claim alone that content is up to date', async () => {
      const generations = new PostgresGenerations(admin.database);
      const beatAgo = async () =>
        (await generations.read({ above: 0, limit: 1, organizationIds: [] })).syncAgeMs;
      const former = newWorker();
      await write(former, await claimed(former));
      await former.database.destroy();
      await advance(90_000);
      const leader = newWorker();
      const epoch = await claimed(leader);
      expect(await beatAgo()).to.be.least(90_000);
      await write(leader, epoch);
      expect(await beatAgo()).to.be.below(90_000);
    });

    it('ends leadership with its connection, so that a standby becomes the leader immediately', async () => {
      const leader = newWorker();
      const epoch = await claimed(leader);
      const next = newWorker();
      expect(await next.leadership.claim(null)).to.equal(null);
      await leader.database.destroy();
      expect(await next.leadership.claim(null)).to.be.greaterThan(epoch);
    });

    it('refuses a leader whose pool has reconnected silently, even if there is no other leader', async () => {
      const leader = newWorker();
      const epoch = await claimed(leader);
      const pid = await pidOf(leader.database);
      await admin.database.raw('select pg_terminate_backend(?)', [pid]);
      await expectRefused(leader, epoch);
      expect(await pidOf(leader.database)).not.to.equal(pid);
      await write(leader, await claimed(leader));
    });

    it('refuses a write under the epoch of the leader from another connection', async () => {
      const leader = newWorker();
      const epoch = await claimed(leader);
      await expectRefused(newWorker(), epoch);
      await write(leader, epoch);
    });

    for (const [where, statement] of [
      ['between two statements of a transaction that holds the row of the leader', null],
      ['in the middle of a statement', 'select pg_sleep(3600)'],
    ] as const) {
      it(`ends the connection of a leader that is frozen ${where}`, async () => {
        const [leader, next] = [newWorker(), newWorker()];
        const epoch = await claimed(leader);
        const pid = await pidOf(leader.database);
        await advance(FROZEN_AFTER_MS * 1.1);
        const freeze = new Gate();
        const step = leader.database.transaction(async (transaction) => {
          await transaction.raw('update content_read.sync_leader set beat_at = clock_timestamp()');
          const frozen = freeze.wait();
          await (statement === null ? frozen : transaction.raw(statement));
        });
        const end = step.then(
          () => 'committed',
          () => 'failed',
        );
        await freeze.arrivalOf('the step of the leader');
        const nextEpoch = await claimed(next);
        expect(nextEpoch).to.equal(epoch + 1);
        expect(await isConnected(pid)).to.equal(false);
        freeze.open();
        expect(await end).to.equal('failed');
        await expectRefused(leader, epoch);
        await write(next, nextEpoch);
      });
    }

    it('refuses the notes of a leader whose term ends while they wait for its row', async () => {
      const leader = newWorker();
      const epoch = await claimed(leader);
      const pid = await pidOf(leader.database);
      const next = await admin.database.transaction();
      await next.raw('update content_read.sync_leader set epoch = epoch + 1');
      const look = { broken: [], seen: { table: freshId('seen') } };
      const failure = new PostgresSyncNotes(leader.database).noteCapture(epoch, look).catch((error) => error);
      const waiting = 'select from pg_locks where pid = ? and not granted';
      await eventually(async () => expect((await next.raw(waiting, [pid])).rows).not.to.eql([]));
      await next.commit();
      expect(await failure).to.be.instanceOf(LeadershipLost);
    });

    it('does not end a new leader that has the lock but no row yet until the time limit has passed', async () => {
      const [dead, starting, other, impatient] = [newWorker(), newWorker(), newWorker(), newWorker(100)];
      await claimed(dead);
      await dead.database.destroy();
      await advance(FROZEN_AFTER_MS * 2);
      await takeLock(starting.database);
      const pid = await pidOf(starting.database);
      expect(await other.leadership.claim(null)).to.equal(null);
      expect(await other.leadership.claim(null)).to.equal(null);
      expect(await pidOf(starting.database)).to.equal(pid);
      await claimed(impatient);
      expect(await isConnected(pid)).to.equal(false);
    });

    it('ends only the connection of the frozen leader', async () => {
      const elsewhere = await createTestDatabase();
      const [ofOtherLock, ofSameHalves, ofOtherDatabase] = [
        newWorker(),
        newWorker(),
        newWorker(FROZEN_AFTER_MS, elsewhere),
      ];
      await ofOtherLock.database.raw('select pg_advisory_lock(42)');
      await ofSameHalves.database.raw(`
        select pg_advisory_lock((lock >> 32)::integer, (lock::bit(64) << 32)::bit(32)::integer)
        from hashtextextended('content_read.sync_leader', 0) as lock`);
      await takeLock(ofOtherDatabase.database);
      const bystanders = [ofOtherLock, ofSameHalves, ofOtherDatabase].map(({ database }) => database);
      const pids = await Promise.all(bystanders.map(pidOf));
      const [frozen, next] = [newWorker(100), newWorker(100)];
      const epoch = await claimed(frozen);
      expect(await claimed(next)).to.equal(epoch + 1);
      await expectRefused(frozen, epoch);
      expect(await Promise.all(bystanders.map(pidOf))).to.deep.equal(pids);
    });
  });
});
