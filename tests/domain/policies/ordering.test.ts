import { expect } from 'chai';
import fc from 'fast-check';
import { byName, bySortOrder, newestFirst } from '../../../src/domain/policies/ordering.js';

/** The names in the order of tags. The order of the input must not matter. */
function sorted(...names: string[]): string[] {
  const tags = names.map((name) => ({ id: name, name }));
  const forth = tags.toSorted(byName).map(({ name }) => name);
  const back = tags.toReversed().sort(byName);
  expect(back.map(({ name }) => name)).to.eql(forth);
  return forth;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('The order of names', () => {
  it('compares letters first, regardless of their accents and case', () => {
    expect(sorted('zebra', 'Zoo', 'Äpfel', 'apfel', 'Birne')).to.eql([
      'apfel',
      'Äpfel',
      'Birne',
      'zebra',
      'Zoo',
    ]);
    expect(sorted('éclair', 'Ecole', 'edam', 'école2')).to.eql(['éclair', 'Ecole', 'école2', 'edam']);
  });

  it('compares accents between equal letters, and case between names that are otherwise equal', () => {
    const ordered = ['resume', 'Resume', 'résumé', 'Résumé', 'resumes'];

    expect(sorted(...ordered.toReversed())).to.eql(ordered);
  });

  it('sorts punctuation before digits and digits before letters, and compares digits one by one', () => {
    expect(sorted('b', '10', '9', '_a', 'a', '#a')).to.eql(['_a', '#a', '10', '9', 'a', 'b']);
  });

  it('sorts Latin before Greek before Cyrillic before Han', () => {
    expect(sorted('日本', 'жук', 'ωμέγα', 'zebra')).to.eql(['zebra', 'ωμέγα', 'жук', '日本']);
  });

  it('does not depend on the language of the machine', () => {
    // Swedish sorts ä after z, Estonian z before t.
    expect(sorted('z', 'ä', 't', 'a')).to.eql(['a', 'ä', 't', 'z']);
  });

  it('compares the ids of equal names by code point', () => {
    const tags = ['\u{1f600}', 'b', '\uffee', 'B', 'é'].map((id) => ({ id, name: 'Same' }));

    expect(idsOf(tags.toSorted(byName))).to.eql(['B', 'b', 'é', '\uffee', '\u{1f600}']);
  });

  it('compares the ids of names that differ only in their Unicode form', () => {
    const composed = { id: '2', name: 'é'.normalize('NFC') };
    const decomposed = { id: '1', name: 'é'.normalize('NFD') };

    expect(idsOf([composed, decomposed].sort(byName))).to.eql(['1', '2']);
  });
});

describe('The order of categories', () => {
  it('compares sortOrder, then name, then id', () => {
    const categories = [
      { id: '5', name: 'A', sortOrder: 1 },
      { id: '4', name: 'b', sortOrder: 0 },
      { id: '3', name: 'B', sortOrder: 0 },
      { id: '2', name: 'b', sortOrder: 0 },
      { id: '1', name: 'Z', sortOrder: -1 },
    ];

    expect(idsOf(categories.toSorted(bySortOrder))).to.eql(['1', '2', '4', '3', '5']);
  });

  it('is correct at both ends of the integers of PostgreSQL', () => {
    const [lowest, highest] = [-(2 ** 31), 2 ** 31 - 1];
    const categories = [highest, 0, lowest].map((sortOrder) => ({
      id: `${sortOrder}`,
      name: 'A',
      sortOrder,
    }));

    expect(idsOf(categories.toSorted(bySortOrder))).to.eql([`${lowest}`, '0', `${highest}`]);
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
  const orders = { byName, bySortOrder, newestFirst };

  for (const [title, order] of Object.entries(orders)) {
    it(`${title} never returns zero for two different ids, and returns the opposite sign for swapped rows`, () => {
      fc.assert(
        fc.property(row, row, (a, b) => {
          if (a.id !== b.id) expect(order(a, b)).not.to.equal(0);
          expect((Math.sign(order(a, b)) || 0) + Math.sign(order(b, a))).to.equal(0);
          expect(order(a, { ...a }) || 0).to.equal(0);
        }),
      );
    });

    it(`${title} is transitive`, () => {
      fc.assert(
        fc.property(row, row, row, (...rows) => {
          for (const [a, b, c] of permutations(rows)) {
            if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).to.be.at.most(0);
          }
        }),
      );
    });

    it(`${title} sorts the same rows into the same order, whatever their order before`, () => {
      const rows = fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 12 });
      fc.assert(
        fc.property(rows, (rows) => {
          expect(idsOf(rows.toReversed().sort(order))).to.eql(idsOf(rows.toSorted(order)));
        }),
      );
    });
  }
});

function permutations<Item>([a, b, c]: readonly [Item, Item, Item]): (readonly [Item, Item, Item])[] {
  return [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ];
}
