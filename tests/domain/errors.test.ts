import { expect } from 'chai';
import * as own from '../../src/domain/errors.js';

/** An extension may import a different copy of the package from that of the program. */
const ANOTHER_COPY = '../../src/domain/errors.js?another';

describe('An error that an adapter may throw', () => {
  let other: typeof own;

  before(async () => {
    other = await import(ANOTHER_COPY);
    expect(other.RowRefused).not.to.equal(own.RowRefused);
  });

  it('is recognized, whichever copy of the package it comes from', () => {
    expect(new other.LeadershipLost(1)).to.be.instanceOf(own.LeadershipLost);
    expect(new other.RowRefused('too long')).to.be.instanceOf(own.RowRefused);
    expect(new own.RowRefused('too long')).to.be.instanceOf(own.RowRefused);
  });

  it('is never mistaken for another error', () => {
    for (const error of [
      new other.RowRefused('no'),
      new Error('LeadershipLost'),
      { name: 'LeadershipLost' },
      null,
    ])
      expect(error).not.to.be.instanceOf(own.LeadershipLost);
    expect(new own.LeadershipLost(null)).not.to.be.instanceOf(own.RowRefused);
  });
});
