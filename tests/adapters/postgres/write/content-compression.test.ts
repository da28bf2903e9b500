import { expect } from 'chai';
import { sharedReadTables } from '../../../support/postgres/read-tables.js';

describe('The content of blogs', () => {
  const readTables = sharedReadTables();

  it('is compressed with LZ4 if the server supports it, which takes a tenth of the time', async () => {
    const { rows: known } = await readTables().raw(
      `select 'lz4' = any(enumvals) as is_known from pg_settings where name = 'default_toast_compression'`,
    );
    const { rows } = await readTables().raw(
      `select attcompression from pg_attribute where attrelid = 'content_read.blogs'::regclass and attname = 'content_html'`,
    );
    expect(rows[0].attcompression).to.equal(known[0].is_known ? 'l' : '');
  });
});
