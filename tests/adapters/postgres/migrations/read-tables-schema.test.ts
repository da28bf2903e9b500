import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { READ_MIGRATIONS } from '../../../../src/composition/project-folders.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

/** Everything that the schema has, as PostgreSQL describes it. */
const SCHEMA = `
  select table_name as of, column_name as name, data_type || ' ' || coalesce(collation_name, '') || ' ' || is_nullable || ' ' || coalesce(column_default, '') as is
  from information_schema.columns where table_schema = 'content_read'
  union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'content_read'
  union all select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'content_read'::regnamespace
  union all select relname, 'options', array_to_string(reloptions, ',') from pg_class where relnamespace = 'content_read'::regnamespace
  union all select attrelid::regclass::text, attname, attcompression::text from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'content_read'::regnamespace and attcompression <> ''
  order by 1, 2, 3`;
const PROGRAMS = `
  select proname as name from pg_proc where pronamespace = 'content_read'::regnamespace
  union all select tgname from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = 'content_read'::regnamespace`;

describe('The file with the read tables', () => {
  const query = async (url: string, sql: string) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rows as unknown;
    } finally {
      await client.end();
    }
  };

  it('creates the same by itself, as psql runs it, as by migrate', async () => {
    const url = await createTestDatabase();
    await query(url, await readFile(new URL('0001_read_tables.sql', READ_MIGRATIONS.directory), 'utf8'));
    const created = await query(url, SCHEMA);
    expect(created).to.have.length.above(100);
    expect(created).to.deep.equal(await query(await createReadTables(), SCHEMA));
  });

  it('has no function and no trigger', async () => {
    expect(await query(await createReadTables(), PROGRAMS)).to.deep.equal([]);
  });
});
