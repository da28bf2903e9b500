import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Database } from '../src/adapters/mariadb/database.js';
import { SilentProxy } from './support/silent-proxy.js';
import { TestDatabase } from './support/test-database.js';

describe('Database', () => {
  let test: TestDatabase;

  before(async () => {
    test = await TestDatabase.create();
  });

  after(() => test.drop());

  async function using(database: Database, use: (database: Database) => Promise<void>): Promise<void> {
    await use(database).finally(() => database.close());
  }

  it('ends a long query of the API, and runs the next one', () =>
    using(Database.forApi(test.url), async (api) => {
      await assert.rejects(api.query('select sleep(60)'), /max_statement_time exceeded/);
      assert.deepEqual(await api.query('select 1 as one'), [{ one: 1 }]);
    }));

  it('refuses writes of the API', () =>
    using(Database.forApi(test.url), async (api) => {
      await assert.rejects(api.execute('delete from organizations'), {
        code: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
      });
    }));

  it('replaces a connection that no longer responds', async () => {
    const proxy = await SilentProxy.before(test.url);
    await using(Database.forApi(proxy.url), async (api) => {
      await api.query('select 1');
      proxy.stopForwarding();
      await assert.rejects(api.query('select 1'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
      assert.deepEqual(await api.query('select 1 as one'), [{ one: 1 }]);
    });
    proxy.stop();
  });

  it('can be closed while the server does not respond', async () => {
    const proxy = await SilentProxy.before(test.url);
    const worker = Database.forWorker(proxy.url);
    await worker.query('select 1');
    proxy.stopForwarding();
    const rejected = assert.rejects(worker.query('select 1'));
    await worker.close();
    await rejected;
    proxy.stop();
  });

  it('rolls back a transaction that failed, and can be used afterwards', () =>
    using(Database.forWorker(test.url), async (worker) => {
      const count = () => worker.query('select count(*) as jobs from sync_jobs');
      const before = await count();
      const failing = worker.transaction(async (session) => {
        await session.execute('delete from sync_jobs');
        throw new Error('on purpose');
      });
      await assert.rejects(failing, /on purpose/);
      assert.deepEqual(await count(), before);
    }));

  it('runs no other statement between those of a transaction', () =>
    using(Database.forWorker(test.url), async (worker) => {
      let isFinished = false;
      const transaction = worker.transaction(async (session) => {
        for (let statements = 0; statements < 5; statements++) await session.query('select 1');
        isFinished = true;
      });
      await worker.query('select 1');
      assert.ok(isFinished);
      await transaction;
    }));
});
