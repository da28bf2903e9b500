import { expect } from 'chai';
import pg from 'pg';
import sinon from 'sinon';
import { RaiseListener } from '../../../../src/adapters/postgres/read/raise-listener.js';
import { connectWorker } from '../../../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../../../src/adapters/sql/worker-connection.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import type { LeadingWriter } from '../../../../src/contracts/support/leading-writer.js';
import { aTag } from '../../../../src/contracts/support/rows.js';
import { leadingWriter } from '../../../support/postgres/leading-writer.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';

describe('RaiseListener', () => {
  let url: string;
  let connection: WorkerConnection;
  let operator: pg.Client;
  let writer: LeadingWriter;
  let listener: RaiseListener;
  let notify: sinon.SinonSpy;

  before(async () => {
    url = await createReadTables();
    connection = connectWorker(url, 'test');
    operator = new pg.Client(url);
    await operator.connect();
    writer = leadingWriter(connection.database);
  });
  after(async () => {
    await connection?.close();
    await operator?.end();
  });
  beforeEach(() => {
    listener = new RaiseListener(url);
    notify = sinon.fake();
  });
  afterEach(() => listener.close());

  const replace = (id: string, name: string) =>
    writer.replace({ kind: 'tags', ids: [id], rows: [aTag({ id, organizationId: 'org', name })] });
  const endSession = () =>
    operator.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'blog-read-api listener' and datname = current_database()`,
    );

  it('hears of each transaction that raises a generation, and of no other', async () => {
    await listener.listen(notify);
    const id = freshId('tag');
    await replace(id, 'one');
    await eventually(() => expect(notify.callCount).to.equal(1));
    await replace(id, 'one');
    await replace(id, 'two');
    await eventually(() => expect(notify.callCount).to.equal(2));
  });

  it('hears nothing of a transaction that is rolled back', async () => {
    await listener.listen(notify);
    const transaction = await connection.database.transaction();
    await transaction.raw('notify content_read_raised');
    await transaction.rollback();
    await replace(freshId('tag'), 'committed');
    await eventually(() => expect(notify.callCount).to.equal(1));
  });

  it('listens again after its session was ended, however often', async () => {
    for (let n = 1; n <= 3; n++) {
      await listener.listen(notify);
      await replace(freshId('tag'), 'heard');
      await eventually(() => expect(notify.callCount).to.equal(n));
      await endSession();
      await eventually(async () => {
        const failure = await listener.listen(notify).catch((error: Error) => error);
        expect(failure).to.equal(undefined);
      });
    }
  });

  it('hears each notification once, however often it was called', async () => {
    for (let n = 0; n < 3; n++) await listener.listen(notify);
    await replace(freshId('tag'), 'once');
    await eventually(() => expect(notify.callCount).to.equal(1));
    await listener.listen(notify);
    expect(notify.callCount).to.equal(1);
  });

  it('fails while the server cannot be reached', async () => {
    const away = new RaiseListener('postgres://user:password@127.0.0.1:1/nowhere');
    const failure = await away.listen(notify).catch((error: Error) => error);
    expect(failure).to.be.instanceOf(Error);
  });
});
