import { expect } from 'chai';
import fc from 'fast-check';
import { foldCase } from '../../../src/domain/policies/text-folding.js';

describe('foldCase', () => {
  for (const [one, other] of [
    ['Title', 'tITLE'],
    ['ÉCOLE', 'école'],
    ['STRASSE', 'Straße'],
    ['STRAẞE', 'straße'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ПРИВЕТ', 'привет'],
    ['ﬁnal', 'FINAL'],
    ['Ǆ', 'ǆ'],
    ['ǅ', 'ǆ'],
    ['K (Kelvin)'.replace('K', '\u212a'), 'k (kelvin)'],
    ['\u2126', 'ω'],
    ['µ (micro)', 'Μ (MICRO)'],
    ['𐐀', '𐐨'],
    ['ᏸ', 'Ᏸ'],
  ] as const) {
    it(`folds ${one} and ${other} to the same text`, () => {
      expect(foldCase(one)).to.equal(foldCase(other));
    });
  }

  for (const [one, other] of [
    ['école', 'ecole'],
    ['ÉCOLE', 'ECOLE'],
    ['Äpfel', 'Apfel'],
    ['mañana', 'manana'],
    ['ά', 'α'],
    ['й', 'и'],
    ['ı', 'i'],
    ['ı', 'I'],
    ['İ', 'i'],
    ['①', '1'],
    ['ａ', 'a'],
  ] as const) {
    it(`distinguishes ${one} from ${other}`, () => {
      expect(foldCase(one)).not.to.equal(foldCase(other));
    });
  }

  for (const [text, folded] of [
    ['ß', 'ss'],
    ['ẞ', 'ss'],
    ['ﬁ', 'fi'],
    ['ﬃ', 'ffi'],
    ['ŉ', '\u02bcn'],
    ['İ', 'i\u0307'],
    ['ǰ', 'j\u030c'],
    ['ΐ', '\u03b9\u0308\u0301'],
    ['ᾳ', 'αι'],
    ['և', 'եւ'],
  ] as const) {
    it(`folds ${text} to several characters`, () => {
      expect(foldCase(text).normalize('NFD')).to.equal(folded.normalize('NFD'));
    });
  }

  it('folds every sigma to the same letter, at the end of a word and within it', () => {
    expect(foldCase('Σσς')).to.equal('σσσ');
    expect(foldCase('ΟΔΟΣ ΟΔΟΣ')).to.equal('οδοσ οδοσ');
  });

  it('lets a search find a part of a word that ends in a sigma, though the word continues', () => {
    expect(foldCase('ΟΔΟΣΉΜΑΝΣΗ')).to.include(foldCase('οδος'));
  });

  it('folds Greek capitals with a dialytika and a tonos like the small letters', () => {
    expect(foldCase('ΤΑΪ́ΖΩ')).to.equal(foldCase('ταΐζω'));
    expect(foldCase('ΠΡΑΫ́ΝΩ')).to.equal(foldCase('πραΰνω'));
  });

  it('leaves a dotless ı unchanged', () => {
    expect(foldCase('ıI')).to.equal('ıi');
  });

  it('leaves text without case unchanged', () => {
    for (const text of ['', ' ', '100 % _x\\', '日本語', 'हिन्दी', '😀', '123']) {
      expect(foldCase(text)).to.equal(text.normalize('NFC'));
    }
  });

  it('folds composed and decomposed text to the same text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(foldCase(text.normalize('NFD'))).to.equal(foldCase(text.normalize('NFC')));
      }),
    );
    expect(foldCase('E\u0301COLE')).to.equal(foldCase('école'));
  });

  it('leaves folded text unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(foldCase(foldCase(text))).to.equal(foldCase(text));
      }),
    );
  });

  it('keeps a lone surrogate, and fails on none', () => {
    expect(foldCase('A\ud800B')).to.equal('a\ud800b');
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('e', 'E', 'ı', 'İ', 'ß', 'Σ', 'ς', 'ǰ', '\u0301', '\u0307', '\u0345', '\u030c'),
  }),
);
