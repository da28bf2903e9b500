import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresReadModelWriter } from '../../../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { sharedReadTables } from '../../../support/postgres/read-tables.js';
import { insertBlogs } from '../insert-blogs.js';

const ROWS = 20_000;

describe('PostgresReadModelWriter', () => {
  const readTables = sharedReadTables();

  it('finds the next keys through indexes even if the tables have no statistics yet', async () => {
    // Hostile settings of a server, which would change the plan, are not part of this test.
    await readTables().raw(
      'set enable_indexscan = on; set enable_indexonlyscan = on; set enable_bitmapscan = on',
    );
    for (const table of ['blogs', 'titles', 'list_entries'])
      await readTables().raw(`alter table content_read.${table} set (autovacuum_enabled = false)`);
    await insertBlogs(
      readTables(),
      `select 'blog_' || n, 'org', 'web', now(), '{}'::text[], '' from generate_series(1, ${ROWS}) as n`,
    );
    const statements: Knex.Sql[] = [];
    const record = (statement: Knex.Sql) => statements.push(statement);
    readTables().on('query', record);
    const keys = await new PostgresReadModelWriter(readTables()).keys(
      'blogs',
      { kind: 'everything' },
      'blog_2',
      4_000,
    );
    readTables().off('query', record);
    expect(keys).to.have.length(4_000);

    const plan: string[] = [];
    for (const { sql, bindings } of statements) {
      const isSelect = sql.includes('select');
      const { rows } = await readTables().raw(
        (isSelect ? `explain ${sql}` : sql).replaceAll(/\$\d+/g, '?'),
        bindings as Knex.RawBinding[],
      );
      if (isSelect) plan.push(...rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']));
    }
    expect(plan.join('\n'))
      .to.contain('blogs_pkey')
      .and.not.to.match(/Seq Scan on (?:blogs|titles|list_entries)/);
  });
});
