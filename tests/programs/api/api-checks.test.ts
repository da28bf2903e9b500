import { expect } from 'chai';
import { checkBy, failure, needed } from '../../../src/programs/admin/examine.js';
import { unlessAnswersAreLeft } from '../../../src/programs/api/api-checks.js';
import { Gate } from '../../support/clock/gate.js';

describe('unlessAnswersAreLeft', () => {
  const finding = failure('no answer', 'restart it');
  const run = (areLeft: boolean) =>
    unlessAnswersAreLeft(needed(checkBy('readDatabase', async () => finding)), async () => areLeft).run();

  it('is a warning while answers come from the cache, and a failure otherwise', async () => {
    expect(await run(true)).to.eql({
      outcome: 'warning',
      cause: null,
      message: 'answers come from the cache: no answer',
      advice: 'restart it',
    });
    expect(await run(false)).to.equal(finding);
  });

  it('looks at once for what is left: a stall may end while it looks', async () => {
    const gate = new Gate();
    let isAsked = false;
    const stalled = needed(
      checkBy('readDatabase', async () => {
        await gate.wait();
        return finding;
      }),
    );
    const examined = unlessAnswersAreLeft(stalled, async () => {
      isAsked = true;
      return true;
    }).run();
    await gate.arrivalOf('the check that stalls');
    expect(isAsked).to.equal(true);
    gate.open();
    expect((await examined).outcome).to.equal('warning');
  });
});
