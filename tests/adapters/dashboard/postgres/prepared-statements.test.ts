import { expect } from 'chai';
import type pg from 'pg';
import sinon from 'sinon';
import { prepared, SESSION_OF_PREPARED } from '../../../../src/adapters/dashboard/postgres/read/prepared.js';
import type { MappedChangeFeed } from '../../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { connectWorker } from '../../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../../src/adapters/sql/worker-connection.js';
import { startCapturedDashboard } from '../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';
import { referenceFeed } from '../../../support/dashboards/reference-mapping.js';

/** How often PostgreSQL plans a statement for its values before it may keep one plan for all. */
const TRIES = 5;
const EDITS = TRIES * 2;

describe('The statements that the worker sends to the dashboard for each edit', () => {
  let dashboard: DashboardUnderTest;
  let worker: WorkerConnection;
  let feed: MappedChangeFeed;

  const edit = (title: string) => dashboard.database('blogs').where({ id: 'blog' }).update({ title });
  const takeEdit = () =>
    feed.read(EDITS, async (changes, source) => {
      const { rows } = await source.read('blogs', ['blog']);
      return { changes, title: rows[0]?.title };
    });
  const takeEdits = async () => {
    for (let n = 0; n < EDITS; n++) {
      await edit(`Title ${n}`);
      const { changes, title } = await takeEdit();
      expect(title).to.equal(`Title ${n}`);
      await feed.acknowledge(changes);
    }
  };

  beforeEach(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
    await dashboard.putTerm('categories', { id: 'category' });
    await dashboard.putBlog({ id: 'blog' });
    await dashboard.database('blog_categories').insert({ blog_id: 'blog', category_id: 'category' });
    worker = connectWorker(dashboard.url, 'worker', true, SESSION_OF_PREPARED);
    feed = referenceFeed(worker.database);
  });

  afterEach(async () => {
    await worker.close();
    await dashboard.stop();
  });

  it('are planned a few times in a session, and not for each edit', async () => {
    await takeEdits();
    const { rows }: { rows: { name: string; planned: number }[] } = await worker.database.raw(
      'select name, custom_plans::int as planned from pg_prepared_statements',
    );
    const planned = Object.fromEntries(rows.map((row) => [row.name, row.planned]));

    for (const statement of ['oldest_from_lookups', 'same_tables', 'acknowledge']) {
      expect(planned[prepared(statement).name], statement).to.be.most(TRIES);
    }
  });

  it('never read the whole queue, however small it was when they were planned', async () => {
    await dashboard.database.raw('vacuum analyze content_sync.change_queue');
    await takeEdits();
    const { rows } = await worker.database.raw(
      `select name, cardinality(parameter_types) as parameters from pg_prepared_statements
       where statement like '%content_sync.change_queue%'`,
    );
    for (const { name, parameters } of rows) {
      const values = Array(parameters).fill('null').join(', ');
      const plan = await worker.database.raw(`explain execute ${name} (${values})`);
      expect(JSON.stringify(plan.rows), name).not.to.contain('Seq Scan');
    }
    expect(rows).not.to.eql([]);
  });

  it('are one for each poll, and need no savepoint for rows that do not fail', async () => {
    await takeEdits();
    // Not all of them are sent by Knex.
    const { client } = worker.database;
    const connection: pg.Client = await client.acquireConnection();
    await client.releaseConnection(connection);
    const sent = sinon.spy(connection, 'query');
    await feed.hasNew();
    expect(sent.callCount).to.equal(1);

    await edit('Last');
    await takeEdit();
    expect(sent.callCount).to.be.above(2);
    expect(JSON.stringify(sent.args.map(([query]) => query)))
      .to.match(/begin/i)
      .and.not.match(/savepoint/i);
  });

  it('continue to work if a column gets another type in between', async () => {
    await takeEdits();
    await dashboard.database.raw('alter table blogs alter column title type varchar(300)');
    await takeEdits();
    await dashboard.database.raw('alter table categories alter column name type varchar(300)');

    await takeEdits();
  });
});
