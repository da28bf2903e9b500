const VISIBLE_ASCII = /^[\x21-\x7e]{16,256}$/;

/** What cannot be a key is not looked up. The dashboard decides what a key looks like beyond this. */
export function couldBeKey(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}
