import { expect } from 'chai';
import { foldCase } from '../../../src/domain/policies/text-folding.js';

/** Each character that Unicode has room for, half surrogates aside. */
const characters: string[] = [];
for (let code = 0; code <= 0x10ffff; code++) {
  if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
}

/** JavaScript's own: two characters match under /iu exactly if their simple case foldings are the same. */
const matches = (pattern: string, text: string) => new RegExp(`^${escaped(pattern)}$`, 'iu').test(text);
const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
const isSingle = (text: string) => text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length;

describe('foldCase, of every character there is', () => {
  let folded: Map<string, string>;
  let changing: string[];
  const foldOf = (character: string) => folded.get(character) ?? character;

  before(() => {
    folded = new Map(characters.map((character) => [character, foldCase(character)]));
    changing = characters.filter((character) => foldOf(character) !== character.normalize('NFC'));
  });

  it('changes as many as have a case', () => {
    expect(changing.length).to.be.within(1400, 3000);
  });

  it('goes from a character to another only if JavaScript takes them for the same', () => {
    const wrong = changing.filter((character) => {
      const composed = character.normalize('NFC');
      return isSingle(foldOf(character)) && isSingle(composed) && !matches(composed, foldOf(character));
    });

    expect(wrong).to.eql([]);
  });

  it('brings together all that JavaScript takes for the same', () => {
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

  it('folds a character, its lower case and its upper case to the same, but for the dotless ı', () => {
    const apart = characters.filter((character) => {
      const cases = [character.toLowerCase(), character.toUpperCase()];
      return cases.some((variant) => variant !== character && foldCase(variant) !== foldOf(character));
    });

    expect(apart).to.eql(['ı']);
  });

  it('folds each decomposed to the same as composed', () => {
    const apart = characters.filter((character) => {
      const decomposed = character.normalize('NFD');
      return decomposed !== character && foldCase(decomposed) !== foldOf(character);
    });

    expect(apart).to.eql([]);
  });

  it('folds no fold any further', () => {
    expect(changing.filter((character) => foldCase(foldOf(character)) !== foldOf(character))).to.eql([]);
  });
});
