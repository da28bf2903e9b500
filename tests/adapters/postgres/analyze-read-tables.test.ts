import { expect } from 'chai';
import pg from 'pg';
import { analyzeReadTables } from '../../../src/adapters/postgres/analyze-read-tables.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';

describe('analyzeReadTables', () => {
  let url: string;
  let client: pg.Client;

  beforeEach(async () => {
    url = await createReadTables();
    client = new pg.Client(url);
    await client.connect();
    await client.query(`
      alter table content_read.organizations set (autovacuum_enabled = false);
      insert into content_read.organizations select 'org_' || n, n from generate_series(1, 1000) as n`);
  });
  afterEach(() => client.end());

  const knownRows = async () => {
    const { rows } = await client.query(
      `select reltuples as known from pg_class where oid = 'content_read.organizations'::regclass`,
    );
    return rows[0].known;
  };

  it('gives statistics to a table that has rows but no statistics', async () => {
    expect(await knownRows()).to.equal(-1);
    await analyzeReadTables(url);
    expect(await knownRows()).to.equal(1000);
  });

  it('skips tables that autovacuum has analyzed', async () => {
    await client.query('analyze content_read.organizations');
    await client.query(`insert into content_read.organizations values ('another', 1)`);
    await analyzeReadTables(url);
    expect(await knownRows()).to.equal(1000);
  });

  it('does not wait for a locked table', async () => {
    await client.query('begin; lock table content_read.organizations in share update exclusive mode');
    await analyzeReadTables(url);
    expect(await knownRows()).to.equal(-1);
  });
});
