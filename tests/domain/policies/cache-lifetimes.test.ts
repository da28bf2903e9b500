import { expect } from 'chai';
import { CacheLifetimes } from '../../../src/domain/policies/cache-lifetimes.js';

describe('CacheLifetimes', () => {
  it('gives lists and details the lifetime of their kind', () => {
    const lifetimes = new CacheLifetimes({ list: 300_000, detail: 900_000 });

    expect(lifetimes.of('list')).to.equal(300_000);
    expect(lifetimes.of('detail')).to.equal(900_000);
  });

  it('turns off one kind without the other', () => {
    const lifetimes = new CacheLifetimes({ list: 0, detail: 900_000 });

    expect(lifetimes.of('list')).to.equal(0);
    expect(lifetimes.of('detail')).to.equal(900_000);
  });
});
