import { expect } from 'chai';
import fc from 'fast-check';
import { foldCase } from '../../../src/domain/policies/text-folding.js';

describe('foldCase', () => {
  for (const [one, other] of [
    ['Title', 'tITLE'],
    ['ÉCOLE', 'e\u0301cole'],
    ['STRASSE', 'Straße'],
    ['STRAẞE', 'straße'],
    ['ΟΔΟΣ ΟΔΟΣ', 'οδος οδος'],
    ['ПРИВЕТ', 'привет'],
    ['ﬁnal', 'FINAL'],
    ['ΤΑΪ́ΖΩ', 'ταΐζω'],
    ['ΠΡΑΫ́ΝΩ', 'πραΰνω'],
  ] as const) {
    it(`folds ${one} and ${other} to the same text`, () => {
      expect(foldCase(one)).to.equal(foldCase(other));
    });
  }

  for (const [one, other] of [
    ['école', 'ecole'],
    ['ά', 'α'],
    ['й', 'и'],
    ['ı', 'I'],
    ['İ', 'i'],
    ['①', '1'],
    ['ａ', 'a'],
  ] as const) {
    it(`distinguishes ${one} from ${other}`, () => {
      expect(foldCase(one)).not.to.equal(foldCase(other));
    });
  }

  it('lets a search find a part of a word that ends in a sigma, though the word continues', () => {
    expect(foldCase('ΟΔΟΣΉΜΑΝΣΗ')).to.include(foldCase('οδος'));
  });

  it('leaves text without case unchanged, and a lone surrogate', () => {
    for (const text of ['', ' ', '100 % _x\\', '日本語', 'हिन्दी', '😀', '123', 'a\ud800b']) {
      expect(foldCase(text)).to.equal(text.normalize('NFC'));
    }
  });

  it('folds any composed and decomposed text to the same text, which is folded', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const folded = foldCase(text.normalize('NFC'));
        expect(foldCase(text.normalize('NFD'))).to.equal(folded);
        expect(foldCase(folded)).to.equal(folded);
      }),
    );
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('e', 'E', 'ı', 'İ', 'ß', 'Σ', 'ς', 'ǰ', '\u0301', '\u0307', '\u0345', '\u030c'),
  }),
);

/** Every Unicode code point except the surrogates. */
const characters: string[] = [];
for (let code = 0; code <= 0x10ffff; code++) {
  if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
}

/** JavaScript's own rule: two characters match under /iu exactly if their simple case foldings are equal. */
const matches = (pattern: string, text: string) => new RegExp(`^${escaped(pattern)}$`, 'iu').test(text);
const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
const isSingle = (text: string) => text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length;

describe('foldCase, for every Unicode character,', () => {
  let folded: Map<string, string>;
  let changing: string[];
  const foldOf = (character: string) => folded.get(character) ?? character;

  before(() => {
    folded = new Map(characters.map((character) => [character, foldCase(character)]));
    changing = characters.filter((character) => foldOf(character) !== character.normalize('NFC'));
  });

  it('maps a character to another only if JavaScript considers them equal', () => {
    const wrong = changing.filter((character) => {
      const composed = character.normalize('NFC');
      return isSingle(foldOf(character)) && isSingle(composed) && !matches(composed, foldOf(character));
    });

    expect(wrong).to.eql([]);
  });

  it('maps characters that JavaScript considers equal to the same text', () => {
    const cased = characters.filter((character) => /[\p{CWCF}\p{CWCM}]/u.test(character));
    const uncased = characters.filter((character) => !/[\p{CWCF}\p{CWCM}]/u.test(character)).join('');
    expect(uncased).not.to.match(/[\p{CWCF}\p{CWCM}]/iu);

    const all = cased.join('');
    const apart = cased.flatMap((character) => {
      const variants = all.match(new RegExp(escaped(character), 'giu')) ?? [];
      return variants
        .filter((variant) => foldOf(variant) !== foldOf(character))
        .map((variant) => [character, variant]);
    });

    expect(cased.length).to.be.above(2800);
    expect(apart).to.eql([]);
  });

  it('folds a character, its lower case and its upper case to the same text, except the dotless ı', () => {
    const apart = characters.filter((character) => {
      const cases = [character.toLowerCase(), character.toUpperCase()];
      return cases.some((variant) => variant !== character && foldCase(variant) !== foldOf(character));
    });

    expect(apart).to.eql(['ı']);
  });

  it('changes no folded text', () => {
    expect(changing.filter((character) => foldCase(foldOf(character)) !== foldOf(character))).to.eql([]);
  });
});
