import { expect } from 'chai';
import { PostgresReadModelWriter } from '../../../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { sharedReadTables } from '../../../support/postgres/read-tables.js';

describe('A page of the organizations whose generations were raised last', () => {
  const readTables = sharedReadTables();

  it('is read through an index, not from the whole table, whichever page it is', async () => {
    const transaction = await readTables().transaction();
    try {
      await transaction.raw(
        `insert into content_read.organizations select 'many ' || n, n from generate_series(1, 20000) as n`,
      );
      const writer = new PostgresReadModelWriter(transaction);
      const first = await writer.raisedBefore(null, 1_000);
      expect(await writer.raisedBefore(first.at(-1) ?? null, 1_000)).to.have.length(1_000);
      const scans = transaction('pg_stat_xact_user_tables').where({
        schemaname: 'content_read',
        relname: 'organizations',
      });
      expect(await scans.pluck('seq_scan')).to.deep.equal(['0']);
    } finally {
      await transaction.rollback();
    }
  });
});
