import { expect } from 'chai';
import fc from 'fast-check';
import { offsetOf, pageOf } from '../../../src/domain/policies/paging.js';

const LAST_PAGE = 2 ** 31 - 1;

describe('paging', () => {
  it('begins the first page with the first item', () => {
    expect(offsetOf({ page: 1, limit: 10 })).to.equal(0);
  });

  it('begins each page where the one before ends', () => {
    const page = fc.integer({ min: 1, max: LAST_PAGE - 1 });
    const limit = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(page, limit, (page, limit) => {
        expect(offsetOf({ page: page + 1, limit })).to.equal(offsetOf({ page, limit }) + limit);
      }),
    );
  });

  it('counts exactly up to the last page that can be asked for', () => {
    expect(offsetOf({ page: LAST_PAGE, limit: 100 })).to.equal(214_748_364_600);
  });

  it('answers the items with the request and the totals', () => {
    const items = ['c', 'd'];

    expect(pageOf({ page: 2, limit: 2 }, items, 5)).to.eql({ page: 2, limit: 2, items, total: 5, pages: 3 });
  });

  for (const [total, pages] of [
    [0, 0],
    [1, 1],
    [9, 1],
    [10, 1],
    [11, 2],
    [20, 2],
    [21, 3],
  ] as const) {
    it(`puts ${total} items on ${pages} pages of 10`, () => {
      expect(pageOf({ page: 1, limit: 10 }, [], total).pages).to.equal(pages);
    });
  }

  it('tells the true totals on a page past the end', () => {
    const { items, total, pages } = pageOf({ page: 99, limit: 10 }, [], 11);

    expect({ items, total, pages }).to.eql({ items: [], total: 11, pages: 2 });
  });

  it('has room for every item, and no page without one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 1, max: 100 }),
        (total, limit) => {
          const { pages } = pageOf({ page: 1, limit }, [], total);
          expect(pages * limit).to.be.at.least(total);
          expect((pages - 1) * limit).to.be.below(Math.max(total, 1));
        },
      ),
    );
  });
});
