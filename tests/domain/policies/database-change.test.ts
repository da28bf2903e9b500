import { expect } from 'chai';
import { type DatabaseIdentity, databaseChange } from '../../../src/domain/policies/database-change.js';

describe('databaseChange', () => {
  const known: DatabaseIdentity = { systemIdentifier: '7', databaseOid: '16384', timeline: 3 };

  for (const [present, change] of [
    [{}, 'none'],
    [{ timeline: 4 }, 'failed over'],
    [{ timeline: 2 }, 'failed over'],
    [{ systemIdentifier: '8' }, 'other'],
    [{ databaseOid: '16385' }, 'other'],
    [{ systemIdentifier: '8', timeline: 4 }, 'other'],
  ] as const) {
    it(`returns "${change}" if ${Object.keys(present).join(' and ') || 'nothing'} differs`, () => {
      expect(databaseChange(known, { ...known, ...present })).to.equal(change);
    });
  }

  it('returns "first seen" if no identity is known', () => {
    expect(databaseChange(null, known)).to.equal('first seen');
  });
});
