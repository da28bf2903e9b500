import { expect } from 'chai';
import { Degraded } from '../../../src/adapters/operations/readiness.js';
import { requireReadTables, unlessAnswersAreLeft } from '../../../src/programs/admin/checks.js';

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

describe('unlessAnswersAreLeft', () => {
  const failure = new Error('the primary does not answer');
  const check = { name: 'readDatabase', run: () => Promise.reject(failure) };
  const run = (source: string | null) =>
    unlessAnswersAreLeft(check, () => source)
      .run()
      .catch((error: unknown) => error);

  it('is degraded while answers come from somewhere, and fails otherwise', async () => {
    const degraded = await run('replicas');
    expect(degraded).to.be.an.instanceof(Degraded);
    expect(degraded).to.have.property(
      'message',
      'answers come from replicas, because the primary does not answer: the primary does not answer',
    );
    expect(await run(null)).to.equal(failure);
  });
});
