import { expect } from 'chai';
import { requireReadTables } from '../../../src/programs/admin/checks.js';

const failing = (error: Error & { code: string }) => async () => {
  throw error;
};
/** The messages of a server with `lc_messages = 'de_DE'`. */
const inGerman = (code: string, message: string) => failing(Object.assign(new Error(message), { code }));

describe('requireReadTables', () => {
  it('reports that there are no read tables, whatever the language of the server', async () => {
    const read = inGerman('42P01', 'Relation »content_read.organizations« existiert nicht');
    const failure = await requireReadTables(read).catch((error: unknown) => error);
    expect(failure).to.have.property('message').that.includes('run `npm run migrate` first');
  });

  it('passes on other failures, with the name of the setting', async () => {
    const read = inGerman('42501', 'keine Berechtigung für Schema content_read');
    const failure = await requireReadTables(read).catch((error: unknown) => error);
    expect(failure)
      .to.have.property('message')
      .that.matches(/^READ_DATABASE_URL: 42501: keine Berechtigung/);
  });
});
