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

  it('answers the API fast or not at all, and can be asked again', () =>
    using(Database.forApi(test.url), async (api) => {
      await assert.rejects(api.ask('select sleep(60)'), /max_statement_time exceeded/);
      assert.deepEqual(await api.ask('select 1 as one'), [{ one: 1 }]);
    }));

  it('lets the API change nothing', () =>
    using(Database.forApi(test.url), async (api) => {
      await assert.rejects(api.change('delete from organizations'), {
        code: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
      });
    }));

  it('gives up a connection that has fallen silent, and takes another', async () => {
    const proxy = await SilentProxy.before(test.url);
    await using(Database.forApi(proxy.url), async (api) => {
      await api.ask('select 1');
      proxy.fallSilent();
      await assert.rejects(api.ask('select 1'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
      assert.deepEqual(await api.ask('select 1 as one'), [{ one: 1 }]);
    });
    proxy.stop();
  });

  it('can be closed while a server is silent', async () => {
    const proxy = await SilentProxy.before(test.url);
    const worker = Database.forWorker(proxy.url);
    await worker.ask('select 1');
    proxy.fallSilent();
    const asked = assert.rejects(worker.ask('select 1'));
    await worker.close();
    await asked;
    proxy.stop();
  });

  it('takes back what a transaction did that failed, and goes on', () =>
    using(Database.forWorker(test.url), async (worker) => {
      const count = () => worker.ask('select count(*) as items from sync_jobs');
      const before = await count();
      const failing = worker.transaction(async (session) => {
        await session.change('delete from sync_jobs');
        throw new Error('on purpose');
      });
      await assert.rejects(failing, /on purpose/);
      assert.deepEqual(await count(), before);
    }));

  it('lets nothing in between the statements of a transaction', () =>
    using(Database.forWorker(test.url), async (worker) => {
      let isOver = false;
      const transaction = worker.transaction(async (session) => {
        for (let statements = 0; statements < 5; statements++) await session.ask('select 1');
        isOver = true;
      });
      await worker.ask('select 1');
      assert.ok(isOver);
      await transaction;
    }));
});
