import { expect } from 'chai';
import fc from 'fast-check';
import { compareCodePoints } from '../../../src/domain/policies/ordering.js';

/** Text that PostgreSQL can hold: any code point but NUL, no half surrogates. Often a common beginning, to differ late. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
  }),
);

const signOf = (order: number) => Math.sign(order) || 0;

describe('compareCodePoints', () => {
  it('orders as UTF-8 bytes do, and so as the "C" collation does', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(signOf(compareCodePoints(a, b))).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('puts every astral character behind every other, unlike JavaScript', () => {
    expect('\uffee' > '\u{1f600}').to.equal(true);
    expect(compareCodePoints('\uffee', '\u{1f600}')).to.be.below(0);
    expect(compareCodePoints('\ue000', '\u{10000}')).to.be.below(0);
    expect(compareCodePoints('\ud7ff', '\ue000')).to.be.below(0);
  });

  it('orders astral characters among themselves, by either half', () => {
    expect(compareCodePoints('\u{1f600}', '\u{1f601}')).to.be.below(0);
    expect(compareCodePoints('\u{10000}', '\u{10ffff}')).to.be.below(0);
    expect(compareCodePoints('\u{103ff}', '\u{10400}')).to.be.below(0);
  });

  it('puts the beginning of a text before the whole', () => {
    expect(compareCodePoints('', 'a')).to.be.below(0);
    expect(compareCodePoints('blog', 'blog_1')).to.be.below(0);
    expect(compareCodePoints('blog_1', 'blog')).to.be.above(0);
  });

  it('knows neither letters nor numbers: capitals first, 10 before 9', () => {
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

  it('takes the two forms of é for two texts', () => {
    expect(compareCodePoints('é'.normalize('NFC'), 'é'.normalize('NFD'))).not.to.equal(0);
  });

  it('is zero for equal texts alone, and turns round when the texts do', () => {
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
