import { skipWithout } from '../../support/run-notes.js';

describe('Planted tests', () => {
  it('pass', () => {});

  it('are skipped one by one', function () {
    skipWithout(this, 'root');
  });

  it.skip('are skipped by their title (needs `advance`, which the adapter lacks)', () => {});

  describe('behind a hook', () => {
    before(function () {
      skipWithout(this, 'Redis (install redis-server)');
    });

    it('are skipped', () => {});

    describe('of an outer suite', () => {
      it('are skipped, too', () => {});
    });
  });
});
