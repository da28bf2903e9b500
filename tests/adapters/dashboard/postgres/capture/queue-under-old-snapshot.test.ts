import { expect } from 'chai';
import type { Knex } from 'knex';
import { changeQueue } from '../../../../../src/adapters/dashboard/postgres/capture/change-queue.js';
import { QueuePosition } from '../../../../../src/adapters/dashboard/postgres/capture/queue-position.js';
import type { PostgresChangeFeed } from '../../../../../src/adapters/dashboard/postgres/change-feed.js';
import { SESSION_OF_PREPARED } from '../../../../../src/adapters/dashboard/postgres/read/prepared.js';
import { WorkerConnection } from '../../../../../src/adapters/postgres/connection/worker-connection.js';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../../../src/domain/model/capture.js';
import { startCapturedDashboard } from '../../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';
import { referenceFeed } from '../../../../support/dashboards/reference-mapping.js';

const DEAD = 20_000;
const BATCH = 250;
/** Pages of all tables and indexes of a query, including catalogs: some dozens. The dead rows alone fill hundreds. */
const FEW = 80;

describe('The change queue, under a long snapshot as of a dump or a report,', () => {
  let dashboard: DashboardUnderTest;
  let worker: WorkerConnection;
  let feed: PostgresChangeFeed;
  let report: Knex.Transaction;

  const add = (count: number, kind = 'tags') =>
    dashboard.database.raw(
      'insert into content_sync.change_queue (kind, key) select ?, n::text from generate_series(1, ?::int) as n',
      [kind, count],
    );
  const readChanges = (limit = BATCH) => feed.read(limit, async (changes) => changes);
  const takeAll = async () => {
    let taken = 0;
    for (let changes = await readChanges(); changes.length > 0; changes = await readChanges()) {
      await feed.acknowledge(changes);
      taken += changes.length;
    }
    return taken;
  };
  /** How many pages the statement that reads the queue has touched during some work, as PostgreSQL reports them. */
  const pagesTouchedBy = async (work: () => Promise<unknown>) => {
    const settings: string[] = [];
    const queries: { sql: string; bindings: readonly unknown[] }[] = [];
    const record = (query: { sql: string; bindings: readonly unknown[] }) => {
      if (/^set local/.test(query.sql)) settings.push(query.sql);
      if (/^[\s(]*(with|select)[\s\S]*change_queue/.test(query.sql)) queries.push(query);
    };
    worker.database.on('query', record);
    await work();
    worker.database.off('query', record);
    expect(queries).to.have.lengthOf(1);
    const [{ sql, bindings } = { sql: '', bindings: [] }] = queries;
    const client = await worker.database.client.acquireConnection();
    try {
      await client.query(['begin', ...settings].join(';'));
      const { rows } = await client.query({
        text: `explain (analyze, buffers, format json) ${sql}`,
        values: [...bindings],
      });
      const plan = rows[0]['QUERY PLAN'][0].Plan;
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    } finally {
      await client.query('rollback');
      await worker.database.client.releaseConnection(client);
    }
  };

  before(async () => {
    dashboard = await startCapturedDashboard();
    worker = new WorkerConnection(dashboard.url, 'test', false, SESSION_OF_PREPARED);
  });
  after(async () => {
    await worker.close();
    await dashboard.stop();
  });
  beforeEach(async () => {
    feed = referenceFeed(worker.database);
    await takeAll();
    report = await dashboard.database.transaction({ isolationLevel: 'repeatable read', readOnly: true });
    await report.raw('select count(*) from blogs');
  });
  afterEach(() => report.rollback());

  it('is read without its deleted rows, whether or not changes wait', async () => {
    await add(DEAD);
    expect(await takeAll()).to.equal(DEAD);

    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);
    await add(3);
    expect(await pagesTouchedBy(() => feed.hasNew())).to.be.below(FEW);
    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);
    expect((await readChanges()).map(({ key }) => key)).to.eql(['1', '2', '3']);
  });

  it('is read without its deleted rows while a backlog is processed, and while keys arrive in between', async () => {
    await add(DEAD);
    for (let n = 0; n < DEAD / BATCH / 2; n++) await feed.acknowledge(await readChanges());
    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);

    await add(DEAD / 10, 'api_keys');
    for (let n = 0; n < (2 * DEAD) / 10 / BATCH; n++) await feed.acknowledge(await readChanges());
    expect((await readChanges())[0]).to.include({ kind: 'tags' });
    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);
  });

  it('is read without its deleted rows if the next changes were read before the previous ones were acknowledged', async () => {
    await add(DEAD);
    const first = await readChanges(DEAD / 2);
    const both = await readChanges(DEAD);
    await feed.acknowledge(first);
    await feed.acknowledge(both.slice(DEAD / 2));

    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);
    expect(await readChanges()).to.eql([]);
  });

  it('is read without its deleted rows during a long transaction that writes, and shows what it commits in the end', async () => {
    const long = await dashboard.database.transaction();
    await long.raw(`insert into content_sync.change_queue (kind, key) values ('tags', 'late')`);
    await add(DEAD);
    await takeAll();
    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);
    expect(await pagesTouchedBy(() => feed.hasNew())).to.be.below(FEW);
    // Repeated, because a later query for the same position differs from the first one.
    for (let n = 0; n < 4; n++) expect(await feed.hasNew()).to.equal(false);

    await long.commit();
    for (let n = 0; n < 4; n++) expect(await feed.hasNew()).to.equal(true);
    expect((await readChanges()).map(({ key }) => key)).to.eql(['late']);
    await feed.acknowledge(await readChanges());
    expect(await readChanges()).to.eql([]);
    expect(await pagesTouchedBy(() => readChanges())).to.be.below(FEW);
  });

  it('reports its length and its lag without reading deleted rows', async () => {
    const position = new QueuePosition();
    const lag = () => changeQueue(worker.database, position);
    await add(DEAD);
    // A long queue is counted up to a bound.
    expect(await lag()).to.include({ length: MAX_COUNTED_CHANGES + 1 });
    await takeAll();
    expect(await lag()).to.eql({ length: 0, lagMs: null } satisfies ChangeQueue);

    expect(await pagesTouchedBy(lag)).to.be.below(FEW);
    const late = await dashboard.database.transaction();
    await late.raw(
      `insert into content_sync.change_queue (kind, key, at) values ('tags', 'late', now() - interval '1 hour')`,
    );
    await add(2);
    expect(await lag()).to.include({ length: 2 });
    await late.commit();
    const { length, lagMs } = await lag();
    expect(length).to.equal(3);
    expect(lagMs).to.be.above(3_500_000);
    expect(await pagesTouchedBy(lag)).to.be.below(FEW);
  });
});

describe('A change that arrives late in the change queue', () => {
  let dashboard: DashboardUnderTest;
  let worker: WorkerConnection;
  let feed: PostgresChangeFeed;

  const insert = (database: Knex, ...keys: readonly string[]) =>
    database.raw(`insert into content_sync.change_queue (kind, key) select 'tags', unnest(:keys::text[])`, {
      keys,
    });
  const seen = (limit = BATCH) => feed.read(limit, async (changes) => changes);
  const takeAll = async () => {
    const keys: (string | null)[] = [];
    for (let changes = await seen(2); changes.length > 0; changes = await seen(2)) {
      keys.push(...changes.map(({ key }) => key));
      await feed.acknowledge(changes);
    }
    return keys;
  };

  before(async () => {
    dashboard = await startCapturedDashboard();
    worker = new WorkerConnection(dashboard.url, 'test');
  });
  after(async () => {
    await worker.close();
    await dashboard.stop();
  });
  beforeEach(async () => {
    feed = referenceFeed(worker.database);
    await takeAll();
  });

  it('is found, even if many transactions end in another order than they began', async () => {
    const open: { readonly key: string; readonly transaction: Knex.Transaction }[] = [];
    const found: (string | null)[] = [];
    const all: string[] = [];
    // Three at a time, because the pool has four connections.
    for (let n = 0; n < 30; n++) {
      const key = `change ${n}`;
      all.push(key, `${key} at once`);
      const transaction = await dashboard.database.transaction();
      await insert(transaction, key);
      open.push({ key, transaction });
      await insert(dashboard.database, `${key} at once`);
      if (n % 2 === 0) found.push(...(await takeAll()));
      if (open.length === 3) await open.splice((n * 7) % 3, 1)[0]?.transaction.commit();
    }
    for (const { transaction } of open.reverse()) await transaction.commit();
    found.push(...(await takeAll()));

    expect(found.toSorted()).to.eql(all.toSorted());
  });

  it('is found if it was prepared, and committed after much newer changes were acknowledged', async () => {
    await dashboard.database.raw(
      `begin; insert into content_sync.change_queue (kind, key) values ('tags', 'prepared'); prepare transaction 'late'`,
    );
    for (let n = 0; n < 5; n++) {
      await insert(dashboard.database, 'one', 'two', 'three');
      expect(await takeAll()).to.have.lengthOf(3);
    }
    await dashboard.database.raw(`commit prepared 'late'`);

    expect(await takeAll()).to.eql(['prepared']);
  });

  it('is found if it was written under a savepoint', async () => {
    const transaction = await dashboard.database.transaction();
    await transaction.raw('savepoint one');
    await insert(transaction, 'in a savepoint');
    await transaction.raw('release savepoint one');
    await insert(dashboard.database, 'newer');
    expect(await takeAll()).to.eql(['newer']);
    await transaction.commit();

    expect(await takeAll()).to.eql(['in a savepoint']);
  });

  it('is found if all changes that were read before it are acknowledged, except one', async () => {
    await insert(dashboard.database, 'one', 'two', 'three');
    const [one, , three] = await seen();
    await feed.acknowledge([one, three].filter((change) => change !== undefined));
    await insert(dashboard.database, 'four');

    expect((await seen()).map(({ key }) => key)).to.eql(['two', 'four']);
  });

  it('is found after rows with the transaction ids of another server, as in a restored dump', async () => {
    await dashboard.database.raw(
      `insert into content_sync.change_queue (kind, key, transaction_id) values ('tags', 'restored', '9000000000')`,
    );
    expect(await seen(1)).to.have.lengthOf(1);
    await feed.acknowledge(await seen(1));
    await insert(dashboard.database, 'new');

    expect(await takeAll()).to.eql(['new']);
  });

  it('is found after transaction ids restart, as on a promoted standby that had lost some', () => {
    const position = new QueuePosition();
    position.moveTo('1000:1000:', null);
    position.moveTo('900:900:', null);

    expect(position.bindings('all')).to.include({ allTransactionId: '0' });
  });
});
