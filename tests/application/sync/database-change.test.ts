import { expect } from 'chai';
import {
  databaseChange,
  isFormerPrimary,
  updateAfter,
} from '../../../src/application/sync/database-change.js';
import type { DatabaseIdentity } from '../../../src/domain/ports/sync/sync-notes.js';

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

  it('a former primary is one of another database, or of an earlier timeline than was written last', () => {
    expect(isFormerPrimary(known, null)).to.equal(false);
    expect(isFormerPrimary(known, known)).to.equal(false);
    expect(isFormerPrimary({ ...known, timeline: 4 }, known)).to.equal(false);
    expect(isFormerPrimary({ ...known, timeline: 2 }, known)).to.equal(true);
    expect(isFormerPrimary({ ...known, databaseOid: '16385' }, known)).to.equal(true);
  });
});

describe('updateAfter', () => {
  it('reads nothing again if both databases are the same, or are seen for the first time', () => {
    expect(updateAfter({ dashboard: 'none', readTables: 'first seen' })).to.equal(null);
  });

  for (const change of ['failed over', 'other'] as const) {
    it(`reads everything again after "${change}", and raises all generations if the read tables changed`, () => {
      const ofDashboard = updateAfter({ dashboard: change, readTables: 'none' });
      expect(ofDashboard?.jobs.map((job) => job.kind === 'add' && job.scope.kind)).to.eql([
        'apiKeys',
        'everything',
      ]);
      expect(ofDashboard?.raisesAll).to.equal(false);
      expect(updateAfter({ dashboard: 'none', readTables: change })?.raisesAll).to.equal(true);
    });
  }
});
