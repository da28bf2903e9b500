import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import sinon from 'sinon';
import { openReadDatabase, openReplica } from '../../../../src/adapters/postgres/connection/read-database.js';
import {
  identityOn,
  type ServerIdentity,
} from '../../../../src/adapters/postgres/inspect/server-identity.js';
import { PrimaryContent } from '../../../../src/adapters/postgres/read/content-database.js';
import { Replica } from '../../../../src/adapters/postgres/replicas/replica.js';
import { ReplicatedContent } from '../../../../src/adapters/postgres/replicas/replicated-content.js';
import { RecordedSnapshot } from '../../../../src/domain/model/snapshot.js';
import { FaultyNetwork } from '../../../support/network/faulty-network.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { RecordingLog } from '../../../support/programs/recording-log.js';

const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** A server that answers with one generation, and counts its requests. */
interface Server {
  readonly database: Knex;
  generation: number;
  /** Whether reads fail. */
  failure: Error | null;
  reads: number;
}

describe('Content that is read from replicas', () => {
  let probed: Knex;
  let servers: Server[];
  let primary: Server;
  let replicas: Replica[];
  let content: ReplicatedContent;
  let count: sinon.SinonSpy;
  let log: RecordingLog;

  before(async () => {
    probed = openReadDatabase(await createReadTables());
  });
  after(() => probed?.destroy());

  /** Probes go to a real database, because a stub would not show how Knex sends them. */
  function server(generation: number): Server {
    const database = Object.assign(() => {}, {
      raw: (sql: string) => probed.raw(sql),
    }) as unknown as Knex;
    return { database, generation, failure: null, reads: 0 };
  }
  async function startReplicas(number: number): Promise<void> {
    servers = Array.from({ length: number }, () => server(7));
    replicas = servers.map(({ database }, at) => new Replica(`replica ${at}`, database, log));
    await Promise.all(replicas.map((replica) => replica.probe()));
    content = new ReplicatedContent(new PrimaryContent(primary.database), replicas, { count });
  }
  beforeEach(async () => {
    count = sinon.fake();
    log = new RecordingLog();
    primary = server(7);
    await startReplicas(2);
  });

  async function read(since: number): Promise<{ generation: number; from: readonly number[] }> {
    const before = [...servers, primary].map(({ reads }) => reads);
    const snapshot = new RecordedSnapshot(since);
    const query = async (database: Knex) => {
      const target = [...servers, primary].find((each) => each.database === database) as Server;
      target.reads++;
      if (target.failure !== null) throw target.failure;
      return [{ generation: String(target.generation) }];
    };
    await content.rows(query, snapshot);
    const from = [...servers, primary].map(({ reads }, at) => reads - (before[at] ?? 0));
    return { generation: snapshot.generation, from };
  }
  const inAll = async (times: number, since: number) => {
    const all = [0, 0, 0];
    for (let n = 0; n < times; n++)
      for (const [at, reads] of (await read(since)).from.entries()) all[at] = (all[at] ?? 0) + reads;
    return all;
  };

  it('is read from all replicas in turn, and not from the primary', async () => {
    expect(await inAll(10, 7)).to.deep.equal([5, 5, 0]);
  });

  it('is read from another replica if one lacks the generation, and that one is not used for it again', async () => {
    (servers[0] as Server).generation = 6;
    expect(await inAll(10, 7)).to.satisfy(
      ([one, other, last]: number[]) => one === 1 && other === 10 && last === 0,
    );
    // It has the older generation.
    expect(await inAll(10, 6)).to.deep.equal([5, 5, 0]);
  });

  it('is read from the primary if all replicas lack the generation', async () => {
    for (const each of servers) each.generation = 6;
    expect(await read(7)).to.deep.equal({ generation: 7, from: [1, 1, 1] });
    expect(await read(7)).to.deep.equal({ generation: 7, from: [0, 0, 1] });
    sinon.assert.alwaysCalledWith(count, 'read-from-primary');
  });

  it('is read elsewhere if a replica fails, whatever the error', async () => {
    for (const failure of [
      Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' }),
      Object.assign(new Error('canceling statement due to user request'), { code: '57014' }),
      Object.assign(new Error('no such table'), { code: '42P01' }),
      new Error('Connection terminated unexpectedly'),
    ]) {
      (servers[0] as Server).failure = failure;
      expect(await inAll(4, 7), failure.message).to.satisfy(([, other]: number[]) => other === 4);
    }
  });

  it('fails if the primary fails and no replica has the generation', async () => {
    for (const each of servers) each.generation = 6;
    primary.failure = new Error('away');
    expect(await read(7).catch(({ message }) => message)).to.equal('Unavailable: the read tables: away');
    expect(await read(6)).to.have.property('generation', 6);
  });

  it('is read from the only replica that answers, however many fail together with the primary', async () => {
    await startReplicas(4);
    const failing = [primary, ...servers.slice(1)];
    for (const each of failing) each.failure = new Error('away');
    for (let n = 0; n < 4; n++) expect(await read(7)).to.have.nested.property('from[0]', 1);
  });

  it('is not read once more if the primary rejects the statement', async () => {
    const rejections = { '42703': 'no such column', '22P02': 'no number', '53200': 'out of memory' };
    for (const [code, message] of Object.entries(rejections)) {
      for (const each of [primary, ...servers]) each.failure = Object.assign(new Error(message), { code });
      const before = [primary, ...servers].map(({ reads }) => reads);
      expect(await read(7).catch((error) => error.message)).to.equal(message);
      const reads = [primary, ...servers].map((each, at) => each.reads - (before[at] ?? 0));
      expect(Math.max(...reads), `${code}: ${reads}`).to.equal(1);
    }
  });

  it('is read once more from the replicas if the primary is shutting down', async () => {
    for (const replica of replicas) sinon.stub(replica, 'canServe').returns(false);
    primary.failure = Object.assign(new Error('shutting down'), { code: '57P01' });
    expect(await read(7)).to.deep.equal({ generation: 7, from: [1, 1, 1] });
  });

  it('is read from a replica that is used again while the primary is tried', async () => {
    for (const { database } of servers) sinon.stub(database, 'raw').rejects(new Error('away'));
    await Promise.all(replicas.map((replica) => replica.probe()));
    const query = async (database: Knex) => {
      if (database !== primary.database) return [{ generation: '7' }];
      sinon.restore();
      await Promise.all(replicas.map((replica) => replica.probe()));
      expect(replicas.map(({ reading }) => reading.exclusion)).to.deep.equal([null, null]);
      throw new Error('away');
    };
    expect(await content.rows(query, new RecordedSnapshot(7))).to.deep.equal([{ generation: '7' }]);
  });

  describe('if a statement is too slow,', () => {
    let clock: sinon.SinonFakeTimers;

    beforeEach(() => {
      clock = sinon.useFakeTimers({ toFake: ['performance'] });
    });
    afterEach(() => clock.restore());

    const tooSlow = () => {
      clock.tick(950);
      throw Object.assign(new Error('too slow'), { code: '57014' });
    };
    const onReplicas = () =>
      sinon.fake(async (database: Knex) => {
        if (database !== primary.database) tooSlow();
        return [{ generation: '7' }];
      });

    it('is not read again if the replica answered other requests meanwhile', async () => {
      const query = sinon.fake(async () => {
        const others = Array.from({ length: 3 }, () =>
          content.rows(async () => [{ generation: '7' }], new RecordedSnapshot(7)),
        );
        await Promise.all(others);
        return tooSlow();
      });
      const failure = await content.rows(query, new RecordedSnapshot(7)).catch(({ message }) => message);
      expect([failure, query.callCount]).to.deep.equal(['too slow', 1]);
    });

    it('is read from the primary if the replica answered nothing else', async () => {
      const query = onReplicas();
      const snapshot = new RecordedSnapshot(7);
      await content.rows(query, snapshot);
      expect([snapshot.generation, query.callCount]).to.deep.equal([7, 2]);
    });

    it('is not read once more if the primary is as slow, because no time is left', async () => {
      const query = sinon.fake(async () => tooSlow());
      const failure = await content.rows(query, new RecordedSnapshot(7)).catch(({ message }) => message);
      expect([failure, query.callCount]).to.deep.equal(['too slow', 2]);
    });

    it('excludes a replica for a while after several slow statements in a row, even if it answers its probes', async () => {
      for (let n = 0; n < 6; n++) await content.rows(onReplicas(), new RecordedSnapshot(7));
      const query = onReplicas();
      await content.rows(query, new RecordedSnapshot(7));
      expect(query.callCount).to.equal(1);
      await Promise.all(replicas.map((replica) => replica.probe()));
      expect(replicas[0]?.reading.exclusion).to.equal('3 reads failed in a row: 57014: too slow');
      clock.tick(5_000);
      await Promise.all(replicas.map((replica) => replica.probe()));
      expect(await inAll(4, 7)).to.deep.equal([2, 2, 0]);
    });
  });

  it('names the cause for which a replica is excluded, without the statement', async () => {
    const [replica] = replicas as [Replica];
    const failure = Object.assign(new Error('select 1 from "t" - no right'), { code: '42501' });
    sinon.stub((servers[0] as Server).database, 'raw').rejects(failure);
    await replica.probe();
    expect(replica.reading.exclusion).to.equal('42501: no right');
  });

  it('is no longer counted as in progress on a replica if its query cannot be built', async () => {
    const [replica] = replicas as [Replica];
    const failing = () => {
      throw new Error('no query');
    };
    expect(await replica.read(failing).catch(({ message }) => message)).to.equal('no query');
    expect(replica.load).to.equal(0);
  });

  it('is no longer awaited from a replica that does not answer its probe, and is read elsewhere', async () => {
    const [hanging] = replicas as [Replica];
    const { database } = servers[0] as Server;
    const original = database.raw;
    Object.assign(database, { raw: () => new Promise(() => {}) });
    const reading = hanging.read(() => new Promise(() => {})).catch(({ name }) => name);
    expect(await reading).to.equal('ReplicaExcluded');
    expect(hanging.reading.exclusion).to.equal('no answer to a probe within 300 ms');
    expect(await inAll(4, 7)).to.deep.equal([0, 4, 0]);
    expect(log.messages).to.deep.equal(['a read replica is excluded']);

    Object.assign(database, { raw: original });
    await hanging.probe();
    expect(await inAll(4, 7)).to.deep.equal([2, 2, 0]);
    expect(log.messages.at(-1)).to.equal('a read replica is used again');
  });
});

describe('Content whose primary is unavailable while its replicas have missed their probes', () => {
  let url: string;
  let networks: FaultyNetwork[];
  let databases: Knex[];
  let replicas: Replica[];
  let content: ReplicatedContent;

  before(async () => {
    url = await createReadTables();
  });
  beforeEach(async () => {
    const port = Number(new URL(url).port);
    networks = [
      await FaultyNetwork.before(port),
      await FaultyNetwork.before(port),
      await FaultyNetwork.before(port),
    ];
    databases = networks.map((network) => openReadDatabase(network.url(url)));
    const [toPrimary, ...toReplicas] = networks as [FaultyNetwork, ...FaultyNetwork[]];
    const [primary, ...others] = databases as [Knex, ...Knex[]];
    const metrics = { count() {} };
    replicas = others.map((database, at) => new Replica(`replica ${at}`, database, NO_LOG));
    content = new ReplicatedContent(new PrimaryContent(primary), replicas, metrics);
    await Promise.all(replicas.map((replica) => replica.probe()));
    await toPrimary.break('refused');
    await Promise.all(toReplicas.map((network) => network.break('paused')));
    await Promise.all(replicas.map((replica) => replica.probe()));
    expect(replicas.map(({ reading }) => reading.exclusion)).not.to.include(null);
  });
  afterEach(async () => {
    await Promise.all(networks.map((network) => network.stop()));
    await Promise.all(databases.map((database) => database.destroy()));
  });

  const query = async (database: Knex) => {
    const { rows }: { rows: { generation: string }[] } = await database.raw('select 7 as generation');
    return rows;
  };
  const read = (since: number) => content.rows(query, new RecordedSnapshot(since));

  it('is read from a replica that answers in time', async () => {
    const reading = read(7);
    await pause(500);
    await networks[2]?.restore();
    expect(await reading).to.deep.equal([{ generation: 7 }]);
    expect(replicas.map(({ reading }) => reading.answered)).to.deep.equal([0, 1]);
  });

  it('is not read from a replica that lacks the generation or does not answer within two seconds', async () => {
    const begunAt = performance.now();
    const lacking = read(8).catch(messageOf);
    await networks[2]?.restore();
    expect(await lacking).to.match(/ECONNREFUSED/);
    await networks[2]?.break('paused');
    expect(await read(7).catch(messageOf)).to.match(/ECONNREFUSED/);
    expect(performance.now() - begunAt).to.be.below(2 * 2_000);
  });
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

describe('A connection to a replica', () => {
  let url: string;

  before(async () => {
    url = await createReadTables();
  });

  async function failureWith(change: (present: ServerIdentity) => ServerIdentity): Promise<string | null> {
    const primary = openReadDatabase(url);

    const present = await identityOn({ query: async (sql) => await primary.raw(sql) });
    const replica = openReplica(url, () => change(present));
    try {
      await replica.raw('select 1');
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await Promise.all([primary.destroy(), replica.destroy()]);
    }
  }

  it('may lead to the primary itself or to a promoted standby', async () => {
    expect(await failureWith((present) => present)).to.equal(null);
    expect(await failureWith((present) => ({ ...present, timeline: (present.timeline ?? 0) - 1 }))).to.equal(
      null,
    );
    expect(await failureWith((present) => ({ ...present, timeline: null }))).to.equal(null);
  });

  it('is not used if it leads to another installation or to a former primary', async () => {
    expect(await failureWith((present) => ({ ...present, installation: 'another' }))).to.match(
      /the read tables of another installation/,
    );
    expect(await failureWith((present) => ({ ...present, timeline: (present.timeline ?? 0) + 1 }))).to.match(
      /it is a former primary/,
    );
  });
});
