// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Unicode's full case folding of NFC text: two texts that differ in nothing but case fold to the same. Titles are folded when
 * they are projected, search terms when they come in; accents stay.
 *
 * Folding goes code point by code point, since a whole text in lower case depends on context (Σ at the end of a word). Lower,
 * upper, lower again reaches what one step misses (ẞ → ß → SS → ss). The dotless ı is the one letter that has an upper case
 * (I) without being a case variant of it.
 */
export function foldCase(text: string): string {
  // Most titles: here lower case is all of it.
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text.normalize('NFC')) {
    folded += character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase();
  }
  // What was composed may have come apart (ΐ), and composes differently when it is written in capitals.
  return folded.normalize('NFC');
}
