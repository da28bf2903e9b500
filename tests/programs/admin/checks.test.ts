import { expect } from 'chai';
import { requireReadTables } from '../../../src/programs/admin/checks.js';

const failing = (error: Error & { code: string }) => async () => {
  throw error;
};
/** The messages of a server with `lc_messages = 'de_DE'`. */
const inGerman = (code: string, message: string) => failing(Object.assign(new Error(message), { code }));

describe('requireReadTables', () => {
  it('begins with the sentence of the server, in its language, and ends with what to do', async () => {
    const read = inGerman('42P01', 'Relation »content_read.organizations« existiert nicht');
    const failure = await requireReadTables(read).catch((error: unknown) => error);
    expect(failure)
      .to.have.property('message')
      .that.matches(
        /^READ_DATABASE_URL: 42P01: Relation »content_read.organizations« existiert nicht: run `npm run migrate -- --with-grants`/,
      );
  });
});
