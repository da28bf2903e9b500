import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { readTablesPage } from './read-tables-page.js';

describe('docs/read-tables.sql', () => {
  it('is what the migrations create; if not: npm run tables:report', async () => {
    expect(await readFile('docs/read-tables.sql', 'utf8')).to.equal(
      await readTablesPage(await createReadTables()),
    );
  });
});
