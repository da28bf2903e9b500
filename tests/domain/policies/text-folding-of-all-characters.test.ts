import { expect } from 'chai';
import { foldCase } from '../../../src/domain/policies/text-folding.js';

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

  it('changes as many characters as have a case', () => {
    expect(changing.length).to.be.within(1400, 3000);
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

  it('folds the decomposed and the composed form to the same text', () => {
    const apart = characters.filter((character) => {
      const decomposed = character.normalize('NFD');
      return decomposed !== character && foldCase(decomposed) !== foldOf(character);
    });

    expect(apart).to.eql([]);
  });

  it('changes no folded text', () => {
    expect(changing.filter((character) => foldCase(foldOf(character)) !== foldOf(character))).to.eql([]);
  });
});
