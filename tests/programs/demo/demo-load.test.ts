import { expect } from 'chai';
import pg from 'pg';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { runProgram } from '../../support/programs/program.js';

describe('demo:load', () => {
  let WRITE_DATABASE_URL: string;
  let dashboard: pg.Client;

  const load = () => runProgram(['demo:load'], { WRITE_DATABASE_URL });
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
    await runProgram(['dashboard:migrate'], { WRITE_DATABASE_URL });
    const first = await load();
    const second = await load();

    expect([first.code, second.code]).to.eql([0, 0]);
    expect(keysIn(first.output).map(({ organization }) => organization)).to.eql([
      'Halfbright Studio',
      'Lantern & Ladle Press',
    ]);
    const keys = [...keysIn(first.output), ...keysIn(second.output)].map(({ key }) => key);
    const { rows } = await dashboard.query(
      `select count(*)::int as valid from api_keys where key_hash in
        (select encode(sha256(key::bytea), 'hex') from unnest($1::text[]) as key)`,
      [keys],
    );
    expect(rows).to.eql([{ valid: 4 }]);
  });

  it('creates no keys in a dashboard that has its own content', async () => {
    await runProgram(['dashboard:migrate'], { WRITE_DATABASE_URL });
    await dashboard.query("insert into organizations (id, name) values ('org_own', 'Own')");
    const { code, output } = await load();

    expect({ code, output }).to.eql({
      code: 1,
      output:
        "The dashboard's database (WRITE_DATABASE_URL) already has organizations: demo content is loaded only into an empty dashboard.\n",
    });
    expect((await dashboard.query('select from api_keys')).rowCount).to.equal(0);
  });

  it('explains how to create the tables that it fills', async () => {
    const { code, output } = await load();
    expect(code).to.equal(1);
    expect(output).to.contain('`npm run dashboard:migrate` creates them');
  });
});
