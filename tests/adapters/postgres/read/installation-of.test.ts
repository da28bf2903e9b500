import { expect } from 'chai';
import { installationOf } from '../../../../src/adapters/postgres/read/installation-of.js';
import { connectWorker } from '../../../../src/adapters/sql/postgres/connect-worker.js';
import { migrateDatabase } from '../../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import type { WorkerConnection } from '../../../../src/adapters/sql/worker-connection.js';
import { READ_MIGRATIONS } from '../../../../src/composition/project-folders.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

describe('The identity of an installation', () => {
  const open: WorkerConnection[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((connection) => connection.close()));
  });

  async function migrated(): Promise<WorkerConnection> {
    const url = await createTestDatabase();
    await migrateDatabase(url, READ_MIGRATIONS);
    const connection = connectWorker(url, 'test');
    open.push(connection);
    return connection;
  }
  const write = (connection: WorkerConnection, id: string) =>
    connection.database.raw('update content_read.installation set id = ?', [id]);

  it('does not change, and differs between installations', async () => {
    const [one, other] = [await migrated(), await migrated()];
    const identity = await installationOf(one.database);
    expect(identity).to.match(/^[0-9a-f]{16}$/);
    expect(await installationOf(one.database)).to.equal(identity);
    expect(await installationOf(other.database)).not.to.equal(identity);
  });

  it('differs between databases with the same id, such as a restored dump, and changes with the id', async () => {
    const [one, other] = [await migrated(), await migrated()];
    const id = '5f0e1c52-4a2b-4f6c-9d0e-000000000001';
    await write(one, id);
    const identity = await installationOf(one.database);
    await write(other, id);
    expect(await installationOf(other.database)).not.to.equal(identity);
    await write(one, '5f0e1c52-4a2b-4f6c-9d0e-000000000002');
    expect(await installationOf(one.database)).not.to.equal(identity);
  });

  it('explains what to do if the row is missing', async () => {
    const one = await migrated();
    await one.database.raw('delete from content_read.installation');
    const failure = await installationOf(one.database).catch((error: Error) => error);
    expect(failure)
      .to.be.an('error')
      .with.property('message')
      .that.includes('insert into content_read.installation');
  });
});
