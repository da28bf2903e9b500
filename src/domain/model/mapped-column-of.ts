import { columnOf } from './blog-fields.js';

/** The name of a field of a row in a mapping, for its author. */
export function mappedColumnOf(field: string): string {
  return field === 'hash' ? 'key_hash' : columnOf(field);
}
