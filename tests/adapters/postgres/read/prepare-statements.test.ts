import { expect } from 'chai';
import type { Knex } from 'knex';
import { openReadDatabase, type ReadDatabase } from '../../../../src/adapters/postgres/read/read-database.js';
import { openDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

const STATEMENT = 'select position from places where name = ?';

describe('A statement that the API sends again', () => {
  let url: string;
  let owner: Knex;
  let database: ReadDatabase;

  before(async () => {
    url = await createTestDatabase();
    owner = openDatabase(url, {
      name: 'test',
      connections: [0, 1],
      connectTimeoutMs: 60_000,
      acquireTimeoutMs: 60_000,
      mayWrite: true,
    });
    await owner.raw(
      `create table places (name text, position integer); insert into places values ('first', 1)`,
    );
  });
  beforeEach(() => {
    database = openReadDatabase(url);
  });
  afterEach(() => database.destroy());
  after(() => owner?.destroy());

  const first = async () => (await database.raw(STATEMENT, ['first'])).rows[0].position;
  const refusal = () => first().catch((error: unknown) => error);
  const prepared = async () =>
    (
      await database.raw(
        'select statement, generic_plans::integer as generic, custom_plans::integer as custom from pg_prepared_statements',
      )
    ).rows;

  it('is parsed once, and planned for its values each time', async () => {
    for (let n = 0; n < 10; n++) expect(await first()).to.equal(1);
    expect(await prepared()).to.deep.equal([
      { statement: 'select position from places where name = $1', generic: 0, custom: 10 },
    ]);
  });

  it('succeeds in another session if the type of a column has changed', async () => {
    expect(await first()).to.equal(1);
    await owner.raw('alter table places alter position type text');
    expect(await refusal()).to.include({ code: '0A000' });
    expect(await first()).to.equal('1');
    await owner.raw('alter table places alter position type integer using position::integer');
  });

  it('is no longer prepared if sessions turn out to be shared', async () => {
    expect(await first()).to.equal(1);
    await database.raw('deallocate all');
    expect(await refusal()).to.include({ code: '26000' });
    expect(await first()).to.equal(1);
    expect(await prepared()).to.deep.equal([]);
  });

  it('succeeds in another session if an administrator ended its session', async () => {
    const failure = await database
      .raw('select pg_terminate_backend(pg_backend_pid())')
      .catch((error) => error);
    expect(failure).to.include({ code: '57P01' });
    expect(await first()).to.equal(1);
  });

  it('is not kept if its text is different each time', async () => {
    for (let n = 0; n < 210; n++) await database.raw(`select ${n} as n where ?`, [true]);
    expect(await prepared()).to.have.length(200);
  });
});
