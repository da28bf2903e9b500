import { expect } from 'chai';
import pg from 'pg';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';

const PASSWORD = 'secret-word';

describe('migrate names the variable and what to do', () => {
  const role = freshId('role').replaceAll('-', '_');
  let url: string;

  const run = async (statement: string) => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const failureOf = async (change: (address: URL) => void) => {
    const address = new URL(url);
    change(address);
    const failure = await migrate({ readDatabaseUrl: address.href, writeDatabaseUrl: null }, () => {}).catch(
      (error: Error) => error,
    );
    expect(String(failure)).not.to.contain(PASSWORD);
    return String(failure);
  };

  before(async () => {
    url = await createTestDatabase();
    await run(`create role ${role} login password '${PASSWORD}'`);
  });
  after(() => run(`drop role ${role}`));

  it('if its role has no rights', async () => {
    const failure = await failureOf((address) =>
      Object.assign(address, { username: role, password: PASSWORD }),
    );
    expect(failure).to.match(/READ_DATABASE_URL: .*permission denied.* a role that owns the database\.$/);
  });

  it('if the database does not exist', async () => {
    const failure = await failureOf((address) => Object.assign(address, { pathname: '/nowhere' }));
    expect(failure).to.match(
      /READ_DATABASE_URL: .*"nowhere".* correct .* the database in READ_DATABASE_URL$/,
    );
  });

  it('if no server listens at the address', async () => {
    const failure = await failureOf((address) => Object.assign(address, { host: '127.0.0.1:1' }));
    expect(failure).to.match(/READ_DATABASE_URL: .*ECONNREFUSED.*: check that the server runs/);
  });
});
