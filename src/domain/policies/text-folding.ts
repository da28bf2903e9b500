// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Unicode's full case folding of NFC text; accents are kept. Code point by code point, because the
 * lower case of a whole text depends on context (Σ at the end of a word). Lower, upper, lower
 * covers what one step misses (ẞ → ß → SS → ss). The dotless ı has the upper case I without being a
 * case variant of it.
 */
export function foldCase(text: string): string {
  // Most titles are ASCII. For ASCII, lower case is the complete folding.
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text.normalize('NFC')) {
    folded += character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase();
  }
  // Folding may decompose a character (ΐ) that composes differently when written in capitals.
  return folded.normalize('NFC');
}
