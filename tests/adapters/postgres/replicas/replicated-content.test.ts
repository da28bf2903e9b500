import { expect } from 'chai';
import type { Knex } from 'knex';
import sinon from 'sinon';
import { PrimaryContent } from '../../../../src/adapters/postgres/read/content-database.js';
import { openReadDatabase, openReplica } from '../../../../src/adapters/postgres/read/read-database.js';
import { Replica } from '../../../../src/adapters/postgres/replicas/replica.js';
import { ReplicatedContent } from '../../../../src/adapters/postgres/replicas/replicated-content.js';
import { identityOn, type ServerIdentity } from '../../../../src/adapters/sql/postgres/server-identity.js';
import { withTimeLimit } from '../../../../src/adapters/system/with-time-limit.js';
import { RecordedSnapshot } from '../../../../src/domain/model/snapshot.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { RecordingLog } from '../../../support/programs/recording-log.js';

/** A server that answers with one generation, and counts its requests. */
interface Server {
  readonly database: Knex;
  generation: number;
  /** Whether reads fail. */
  failure: Error | null;
  reads: number;
}

const inTime = <Answer>(answer: Promise<Answer>) => withTimeLimit(1_000, answer);

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
    replicas = servers.map(({ database }, at) => new Replica(`replica ${at}`, database, log, inTime));
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
      new Error('Connection terminated unexpectedly'),
    ]) {
      (servers[0] as Server).failure = failure;
      expect(await inAll(4, 7), failure.message).to.satisfy(([, other]: number[]) => other === 4);
    }
    for (const code of ['57014', '42P01']) {
      (servers[0] as Server).failure = Object.assign(new Error('of the statement'), { code });
      expect(await inAll(4, 7), code).to.deep.equal([2, 2, 2]);
    }
  });

  it('fails if the primary fails and no replica has the generation', async () => {
    for (const each of servers) each.generation = 6;
    primary.failure = new Error('away');
    expect(await read(7).catch(({ message }) => message)).to.equal('Unavailable: the read tables: away');
    expect(await read(6)).to.have.property('generation', 6);
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

  it('names the cause for which a replica is excluded, with its code', async () => {
    const [replica] = replicas as [Replica];
    const failure = Object.assign(new Error('no right'), { code: '42501' });
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

  it('is not read from a replica that does not answer its probe', async () => {
    const [hanging] = replicas as [Replica];
    const { database } = servers[0] as Server;
    const original = database.raw;
    Object.assign(database, { raw: () => new Promise(() => {}) });
    await hanging.probe();
    expect(hanging.reading.exclusion).to.equal('no answer within 1000 ms');
    expect(await inAll(4, 7)).to.deep.equal([0, 4, 0]);
    expect(log.messages).to.deep.equal(['a read replica is excluded']);

    Object.assign(database, { raw: original });
    await hanging.probe();
    expect(await inAll(4, 7)).to.deep.equal([2, 2, 0]);
    expect(log.messages.at(-1)).to.equal('a read replica is used again');
  });
});

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
