import { expect } from 'chai';
import { checkBy, failure } from '../../../src/programs/admin/examine.js';
import { unlessAnswersAreLeft } from '../../../src/programs/api/api-checks.js';

describe('unlessAnswersAreLeft', () => {
  const finding = failure('no answer', 'restart it');
  const run = (source: string | null) =>
    unlessAnswersAreLeft(
      checkBy('readDatabase', async () => finding),
      async () => source,
    ).run();

  it('is a warning while answers come from somewhere, and a failure otherwise', async () => {
    expect(await run('replicas')).to.eql({
      outcome: 'warning',
      message: 'answers come from replicas, because the primary does not answer: no answer',
      advice: 'restart it',
    });
    expect(await run(null)).to.equal(finding);
  });
});
