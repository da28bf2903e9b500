const SHOWN_LENGTH = 100;

/** A caller's value as an error shows it: cut to 100 characters. */
export function shownValue(given: string): string {
  // A character takes one or two units of a string's length.
  const characters = [...given.slice(0, 2 * SHOWN_LENGTH + 2)];
  const cut = characters.length <= SHOWN_LENGTH ? characters : [...characters.slice(0, SHOWN_LENGTH), '…'];
  return `(got "${cut.join('')}")`;
}
