import { expect } from 'chai';
import sinon from 'sinon';
import {
  openReadDatabase,
  type ReadDatabase,
} from '../../../../src/adapters/postgres/connection/read-database.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

const END_SESSION = `pg_terminate_backend(pg_backend_pid()) and pg_sleep(9)::text = ''`;

describe('A statement of the API', () => {
  let database: ReadDatabase;
  let sent: number;
  let clock: sinon.SinonFakeTimers;

  before(async () => {
    database = openReadDatabase(await createTestDatabase());
    database.on('query', () => sent++);
  });
  beforeEach(() => {
    sent = 0;
    // Independent of the speed of the machine.
    clock = sinon.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => clock.restore());
  after(() => database?.destroy());

  const refusalOf = (statement: string): Promise<{ code?: string }> =>
    Promise.resolve(database.raw(statement)).then(
      () => expect.fail('it was not refused'),
      (error) => error,
    );

  it('is answered by another session if an administrator ends its session', async () => {
    const { rows: first } = await database.raw('select pg_backend_pid() as pid');
    const { rows } = await database.raw(
      `select pg_backend_pid() as pid, case when pg_backend_pid() = ? then ${END_SESSION} end`,
      [first[0].pid],
    );
    expect(rows[0].pid).to.not.equal(first[0].pid);
    expect(sent).to.equal(3);
  });

  it('is not sent a third time if the second session ends, too, and the next statement finds a working session', async () => {
    expect(await refusalOf(`select ${END_SESSION}`)).to.include({ code: '57P01' });
    expect(sent).to.equal(2);
    expect((await database.raw('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    expect(sent).to.equal(3);
  });

  it('is sent once if it fails and its session continues', async () => {
    expect(await refusalOf('select 1 / 0')).to.include({ code: '22012' });
    expect(sent).to.equal(1);
  });

  it('is sent once if its session ends late, because the caller has little time left', async () => {
    database.once('query', () => clock.tick(101));
    expect(await refusalOf(`select ${END_SESSION}`)).to.include({ code: '57P01' });
    expect(sent).to.equal(1);
  });
});
