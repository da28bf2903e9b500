const QUOTED_LENGTH = 100;

/** A caller's value as an error shows it: cut to 100 characters. */
export function quotedValue(given: string): string {
  // A character takes one or two units of a string's length.
  const characters = [...given.slice(0, 2 * QUOTED_LENGTH + 2)];
  const cut = characters.length <= QUOTED_LENGTH ? characters : [...characters.slice(0, QUOTED_LENGTH), '…'];
  return `(got "${cut.join('')}")`;
}
