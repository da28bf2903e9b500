import { expect } from 'chai';
import { aBlog } from '../../../../src/contracts/support/rows.js';
import { leadingWriter } from '../../../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../../../support/postgres/read-tables.js';

/** Has no pattern, so that it is long even if it is compressed. */
const CONTENT = Array.from({ length: 4_000 }, (_, n) =>
  String.fromCharCode(32 + (((n * n * 7919) % 9973) % 90)),
).join('');

describe('The content of a blog that is stored outside its row', () => {
  const readTables = sharedReadTables();
  const put = (title: string, contentHtml: string) =>
    putInto(leadingWriter(readTables()))('blogs', aBlog({ id: 'blog', title, contentHtml }));
  const places = async () => {
    const { rows } = await readTables().raw(
      `select reltoastrelid::regclass::text as name from pg_class where oid = 'content_read.blogs'::regclass`,
    );
    const stored: { rows: { place: string }[] } = await readTables().raw(
      `select distinct chunk_id::text as place from ${rows[0].name}`,
    );
    return stored.rows.map(({ place }) => place);
  };

  it('is not rewritten if another field changes, and is rewritten if it changes itself', async () => {
    await put('First', CONTENT);
    const before = await places();
    expect(before).to.have.lengthOf(1);
    await put('Second', CONTENT);
    expect(await places(), 'another title').to.eql(before);
    await put('Second', `${CONTENT}.`);
    expect(await places(), 'another content').to.not.eql(before);
  });
});
