const VISIBLE_ASCII = /^[\x21-\x7e]{16,256}$/;

/** Text that cannot be a key is not looked up. All other rules about keys belong to the dashboard. */
export function couldBeKey(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}
