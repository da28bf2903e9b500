import { expect } from 'chai';
import fc from 'fast-check';
import {
  byName,
  bySortOrder,
  compareCodePoints,
  newestFirst,
} from '../../../src/domain/policies/ordering.js';

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('compareCodePoints', () => {
  /** Texts that PostgreSQL can store: no NUL and no lone surrogates. Many share a beginning and differ late. */
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
    }),
  );

  it('orders texts like their UTF-8 bytes, and so like the "C" collation', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const order = Math.sign(compareCodePoints(a, b)) || 0;
        expect(order).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('compares neither alphabetically nor numerically, and sorts astral characters after all others', () => {
    const sorted = ['', '10', '9', 'A', 'B', '_', 'a', 'a1', 'b', 'é', '\ud7ff', '\ue000', '\uffee'];
    const astral = ['\u{10000}', '\u{103ff}', '\u{10400}', '\u{1f600}', '\u{1f601}', '\u{10ffff}'];
    expect([...sorted, ...astral].toReversed().sort(compareCodePoints)).to.eql([...sorted, ...astral]);
  });
});

describe('The order of names', () => {
  for (const [what, names] of Object.entries({
    'letters first, regardless of accents and case': ['apfel', 'Äpfel', 'Birne', 'zebra', 'Zoo'],
    'letters at any place first': ['éclair', 'Ecole', 'école2', 'edam'],
    'accents between equal letters, then case': ['resume', 'Resume', 'résumé', 'Résumé', 'resumes'],
    'punctuation, digits one by one, letters': ['_a', '#a', '10', '9', 'a', 'b'],
    'Latin, Greek, Cyrillic, Han': ['zebra', 'ωμέγα', 'жук', '日本'],
    // Swedish sorts ä after z, Estonian z before t.
    'no language of the machine': ['a', 'ä', 't', 'z'],
  })) {
    it(`compares ${what}`, () => {
      const tags = names.map((name) => ({ id: name, name }));
      expect(idsOf(tags.toReversed().sort(byName))).to.eql(names);
      expect(idsOf(tags.toSorted(byName))).to.eql(names);
    });
  }

  it('compares the ids of equal names by code point, also of names that differ only in their Unicode form', () => {
    const tags = ['\u{1f600}', 'b', '\uffee', 'B', 'é'].map((id) => ({ id, name: 'Same' }));
    expect(idsOf(tags.toSorted(byName))).to.eql(['B', 'b', 'é', '\uffee', '\u{1f600}']);
    const composed = { id: '2', name: 'é'.normalize('NFC') };
    const decomposed = { id: '1', name: 'é'.normalize('NFD') };
    expect(idsOf([composed, decomposed].sort(byName))).to.eql(['1', '2']);
  });
});

describe('The order of categories', () => {
  it('compares sortOrder, also at both ends of the integers of PostgreSQL, then name, then id', () => {
    const categories = [
      { id: '6', name: 'A', sortOrder: 2 ** 31 - 1 },
      { id: '5', name: 'A', sortOrder: 1 },
      { id: '4', name: 'b', sortOrder: 0 },
      { id: '3', name: 'B', sortOrder: 0 },
      { id: '2', name: 'b', sortOrder: 0 },
      { id: '1', name: 'Z', sortOrder: -(2 ** 31) },
    ];
    expect(idsOf(categories.toSorted(bySortOrder))).to.eql(['1', '2', '4', '3', '5', '6']);
    for (const [index, one] of categories.entries()) {
      for (const other of categories.slice(index + 3)) expect(bySortOrder(one, other)).to.be.above(0);
    }
  });
});

describe('The order of blogs', () => {
  it('compares dates, newest first, then ids, descending by code point', () => {
    const blogs = [
      { id: 'a', publishedAt: 1 },
      { id: '\uffee', publishedAt: 2 },
      { id: '\u{1f600}', publishedAt: 2 },
      { id: 'b', publishedAt: 2 },
      { id: 'z', publishedAt: -5 },
    ];
    expect(idsOf(blogs.toSorted(newestFirst))).to.eql(['\u{1f600}', '\uffee', 'b', 'a', 'z']);
  });
});

describe('Each of these orders', () => {
  const name = fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'A', 'á', 'Á', 'b', 'ß', 's', 'ﬁ', 'æ', 'e\u0301', 'é', '-', ' ', '9'),
    }),
    fc.string({ unit: 'grapheme' }),
  );
  const few = fc.integer({ min: -1, max: 1 });
  const row = fc.record({ id: fc.string({ maxLength: 2 }), name, sortOrder: few, publishedAt: few });
  const rows = fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 12 });

  for (const [title, order] of Object.entries({ byName, bySortOrder, newestFirst })) {
    it(`${title} is total: sorted rows are in order with all that follow, and never equal`, () => {
      fc.assert(
        fc.property(rows, (rows) => {
          const sorted = rows.toSorted(order);
          for (const [index, one] of sorted.entries()) {
            for (const other of sorted.slice(index + 1)) {
              expect(order(one, other)).to.be.below(0);
              expect(order(other, one)).to.be.above(0);
            }
          }
        }),
      );
    });
  }
});
