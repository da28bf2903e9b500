import { expect } from 'chai';
import sinon from 'sinon';
import { KnownGenerations } from '../../../src/domain/admission/known-generations.js';
import { Staleness } from '../../../src/domain/policies/staleness.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

describe('KnownGenerations', () => {
  let clock: SettableClock;
  let current: sinon.SinonStub;
  let known: KnownGenerations;

  beforeEach(() => {
    clock = new SettableClock();
    current = sinon.stub().resolves(7);
    known = new KnownGenerations({ current }, new Staleness(60_000), clock);
  });

  it('passes on generations and failures', async () => {
    expect(await known.current('org_a')).to.equal(7);
    current.rejects(new Error('unavailable'));
    expect(await known.current('org_a').catch((error: Error) => error.message)).to.equal('unavailable');
  });

  it('returns the last known generation of each organization, and null if none was read', async () => {
    await known.current('org_a');
    current.resolves(9);
    await known.current('org_a');
    await known.current('org_b');
    current.rejects(new Error('unavailable'));
    await known.current('org_a').catch(() => {});
    expect(['org_a', 'org_b', 'org_c'].map((organization) => known.lastOf(organization))).to.eql([
      9,
      9,
      null,
    ]);
  });

  it('returns null for a generation that was read too long ago', async () => {
    await known.current('org_a');
    clock.advance(59_999);
    expect(known.lastOf('org_a')).to.equal(7);
    clock.advance(1);
    expect(known.lastOf('org_a')).to.equal(null);
  });

  it('drops the generation that was read longest ago when its memory is full', async () => {
    for (let n = 0; n < 20_000; n++) await known.current(`org_${n}`);
    await known.current('org_0');
    await known.current('one_more');
    expect(['org_0', 'org_1', 'org_2', 'one_more'].map((each) => known.lastOf(each))).to.eql([7, null, 7, 7]);
  });
});
