import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  KEPT_CONNECTIONS,
  openConnections,
  openReadDatabase,
  type ReadDatabase,
} from '../../../../src/adapters/postgres/read/read-database.js';
import { openDashboardDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';
import { TestRole } from '../../../support/postgres/test-role.js';

const CONCURRENT = 10;

describe('The connections to the read tables', () => {
  let owner: Knex;
  let role: TestRole;
  let database: ReadDatabase;

  before(async () => {
    const url = await createTestDatabase();
    owner = openDashboardDatabase(url);
    role = await TestRole.create(owner);
    database = openReadDatabase(role.urlOf(url));
  });
  after(async () => {
    await database.destroy();
    await role.drop();
    await owner.destroy();
  });

  it('are kept while nobody asks, and further ones are closed', async () => {
    await openConnections(database, CONCURRENT);
    const { pool } = database.client;
    pool.idleTimeoutMillis = 0;
    pool.check();
    expect(pool.numFree()).to.equal(KEPT_CONNECTIONS);
  });

  it('serve all queries while the server refuses further ones', async () => {
    await owner.raw(`alter role ${role.name} connection limit ${KEPT_CONNECTIONS}`);
    const queries = Array.from({ length: CONCURRENT }, () => database.raw('select pg_sleep(0.02)'));
    await Promise.all(queries);
  });

  it('that cannot be opened at all fail a query at once, with the reason of the server', async () => {
    const { pool } = database.client;
    await owner.raw(`alter role ${role.name} connection limit 0`);
    pool.min = 0;
    pool.check();
    const error = await database.raw('select').catch((reason) => reason);
    expect(error.message).to.match(/too many connections for role/);
  });
});
