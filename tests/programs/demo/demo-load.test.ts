import { expect } from 'chai';
import pg from 'pg';
import { loadDemo } from '../../../src/programs/demo/load-demo.js';
import { migrateDashboard } from '../../../src/programs/migrate/migrate.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { runProgram } from '../../support/programs/program.js';

describe('demo:load', () => {
  let WRITE_DATABASE_URL: string;
  let dashboard: pg.Client;

  const load = async () => {
    const printed: string[] = [];
    await loadDemo(WRITE_DATABASE_URL, (text) => printed.push(text));
    return printed.join('\n');
  };
  const failureOfLoad = () => load().catch((error: Error) => error.message);
  const keysIn = (output: string) =>
    [...output.matchAll(/^ {2}(\S.*?) +(brk_\w+)$/gm)].map(([, organization, key]) => ({
      organization,
      key,
    }));

  beforeEach(async () => {
    WRITE_DATABASE_URL = await createTestDatabase();
    dashboard = new pg.Client(WRITE_DATABASE_URL);
    await dashboard.connect();
  });
  afterEach(() => dashboard.end());

  it('fills an empty dashboard, and prints a new key of each organization on every run', async () => {
    await migrateDashboard(WRITE_DATABASE_URL, () => {});
    const program = await runProgram(['demo:load'], { WRITE_DATABASE_URL });
    expect(program.code).to.equal(0);
    expect(keysIn(program.output).map(({ organization }) => organization)).to.eql([
      'Halfbright Studio',
      'Lantern & Ladle Press',
    ]);
    const keys = [...keysIn(program.output), ...keysIn(await load())].map(({ key }) => key);
    const { rows } = await dashboard.query(
      `select count(*)::int as valid from api_keys where key_hash in
        (select encode(sha256(key::bytea), 'hex') from unnest($1::text[]) as key)`,
      [keys],
    );
    expect(rows).to.eql([{ valid: 4 }]);
  });

  it('creates no keys in a dashboard that has its own content', async () => {
    await migrateDashboard(WRITE_DATABASE_URL, () => {});
    await dashboard.query("insert into organizations (id, name) values ('org_own', 'Own')");
    expect(await failureOfLoad()).to.match(/already has organizations: demo content is loaded only into/);
    expect((await dashboard.query('select from api_keys')).rowCount).to.equal(0);
  });

  it('explains how to create the tables that it fills', async () => {
    expect(await failureOfLoad()).to.contain('`npm run dashboard:migrate` creates them');
  });
});
