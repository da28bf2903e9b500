import { expect } from 'chai';
import fc from 'fast-check';
import { compareCodePoints } from '../../../src/domain/policies/ordering.js';

/** Texts that PostgreSQL can store: no NUL and no lone surrogates. Many share a beginning and differ late. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
  }),
);

const signOf = (order: number) => Math.sign(order) || 0;

describe('compareCodePoints', () => {
  it('orders texts like their UTF-8 bytes, and so like the "C" collation', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(signOf(compareCodePoints(a, b))).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('sorts every astral character after all others, unlike JavaScript', () => {
    expect('\uffee' > '\u{1f600}').to.equal(true);
    expect(compareCodePoints('\uffee', '\u{1f600}')).to.be.below(0);
    expect(compareCodePoints('\ue000', '\u{10000}')).to.be.below(0);
    expect(compareCodePoints('\ud7ff', '\ue000')).to.be.below(0);
  });

  it('orders astral characters by both of their surrogates', () => {
    expect(compareCodePoints('\u{1f600}', '\u{1f601}')).to.be.below(0);
    expect(compareCodePoints('\u{10000}', '\u{10ffff}')).to.be.below(0);
    expect(compareCodePoints('\u{103ff}', '\u{10400}')).to.be.below(0);
  });

  it('sorts the beginning of a text before the whole text', () => {
    expect(compareCodePoints('', 'a')).to.be.below(0);
    expect(compareCodePoints('blog', 'blog_1')).to.be.below(0);
    expect(compareCodePoints('blog_1', 'blog')).to.be.above(0);
  });

  it('compares neither alphabetically nor numerically: capitals first, 10 before 9', () => {
    expect(['b', 'B', 'a', 'A', 'é', '9', '10', '_'].sort(compareCodePoints)).to.eql([
      '10',
      '9',
      'A',
      'B',
      '_',
      'a',
      'b',
      'é',
    ]);
  });

  it('treats the two forms of é as different texts', () => {
    expect(compareCodePoints('é'.normalize('NFC'), 'é'.normalize('NFD'))).not.to.equal(0);
  });

  it('returns zero only for equal texts, and the opposite sign for swapped texts', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(compareCodePoints(a, b) === 0).to.equal(a === b);
        expect(signOf(compareCodePoints(a, b)) + signOf(compareCodePoints(b, a))).to.equal(0);
      }),
    );
  });

  it('is transitive', () => {
    fc.assert(
      fc.property(text, text, text, (...texts) => {
        const [a, b, c] = texts.sort(compareCodePoints) as [string, string, string];
        expect(compareCodePoints(a, b)).to.be.at.most(0);
        expect(compareCodePoints(b, c)).to.be.at.most(0);
        expect(compareCodePoints(a, c)).to.be.at.most(0);
      }),
    );
  });
});
